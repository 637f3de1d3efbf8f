"""PTX as nvcc prints it: entries, their parameters and their instructions."""

import re

WIDTH = {"pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "b32": 32,
         "u32": 32, "s32": 32, "f32": 32, "bf16x2": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64}


class Instruction:
    """`@!%p op.modifiers operands;` with the type, the last modifier, apart."""

    def __init__(self, guard, negated, name, operands, text):
        self.guard, self.negated, self.text = guard, negated, text
        self.op, *self.modifiers = name.split(".")
        self.operands = operands
        self.type = self.modifiers[-1] if self.modifiers else ""
        self.width = WIDTH.get(self.type, 32)


class Entry:
    def __init__(self, name):
        self.name, self.parameters, self.parameter_bytes = name, {}, 0
        self.code, self.labels = [], {}


def split_operands(text):
    """Splits at the commas outside of braces and brackets."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return parts + [part.strip()] if part.strip() else parts


_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?$")
_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{")
_INSTRUCTION = re.compile(r"(?:@(!?)(%[\w$]+)\s+)?([\w.]+)\s*(.*)$", re.S)


def _parameters(entry, text):
    offset = 0
    for part in split_operands(text):
        match = _PARAMETER.match(part)
        if match is None:
            raise ValueError(f"{entry.name}: cannot read the parameter {part}")
        align, kind, name, count = match.groups()
        size = WIDTH[kind] // 8
        align = int(align or size)
        offset = (offset + align - 1) // align * align
        entry.parameters[name] = offset
        offset += size * int(count or 1)
    entry.parameter_bytes = offset


def _body(text, start):
    depth, end = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start:end - 1]


def parse(text):
    """The entries of a PTX text, by name."""
    text = re.sub(r"//[^\n]*", "", text)
    entries = {}
    for match in _ENTRY.finditer(text):
        entry = Entry(match.group(1))
        _parameters(entry, match.group(2))
        body = re.sub(r"(\$[\w$]+):", r"\1:;", _body(text, match.end()))
        for statement in body.split(";"):
            statement = statement.strip().lstrip("{}").strip()
            if not statement or statement.startswith("."):
                if re.match(r"\.(local|shared)\b", statement):
                    raise ValueError(f"{entry.name} uses memory beside registers: {statement}")
                continue
            if statement.endswith(":"):
                entry.labels[statement[:-1]] = len(entry.code)
                continue
            negated, guard, name, operands = _INSTRUCTION.match(statement).groups()
            operands = split_operands(" ".join(operands.split()))
            entry.code.append(Instruction(guard, negated == "!", name, operands, statement))
        entries[entry.name] = entry
    return entries
