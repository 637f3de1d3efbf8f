"""PTX as nvcc and clang print it: entries, their parameters, their shared memory and their instructions."""

import re

from faults import Fault

WIDTH = {"pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "b32": 32,
         "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "e4m3x2": 16, "b64": 64, "u64": 64, "s64": 64,
         "f64": 64, "b128": 128}
FIRST_SHARED, FIRST_LOCAL, GAP = 0x1000, 0x1000000, 0x1000

_INTEGER = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)U?$")
_ADDRESS = re.compile(r"\[\s*([%\w$.]+)\s*(?:\+\s*(-?\w+))?\s*\]$")


class Instruction:
    """`@!%p op.modifiers operands;` with the type, the last modifier, apart.

    An operand is a name, a tuple of names (`{a, b}`) or an Address.
    """

    def __init__(self, guard, negated, name, operands, text):
        self.guard, self.skipped_by, self.text = guard, int(negated), text
        self.op, *self.modifiers = name.split(".")
        self.operands = operands
        self.type = self.modifiers[-1] if self.modifiers else ""
        self.width = WIDTH.get(self.type, 32)
        self.flushes = "ftz" in self.modifiers

    def names(self):
        """Every name that it reads or writes, in order."""
        for operand in self.operands:
            if isinstance(operand, Address):
                yield operand.base
            elif isinstance(operand, tuple):
                yield from operand
            else:
                yield operand


class Address:
    """`[base + offset]`."""

    def __init__(self, base, offset):
        self.base, self.offset = base, offset


class Entry:
    def __init__(self, name):
        self.name, self.parameters, self.parameter_bytes = name, {}, 0
        self.code, self.labels = [], {}
        self.shared, self.local = [], []  # (name, address, bytes)
        self.constants = {}  # what a name or a number in the text stands for

    def add_shared(self, name, size):
        self._add(self.shared, FIRST_SHARED, name, size)

    def add_local(self, name, size):
        self._add(self.local, FIRST_LOCAL, name, size)

    def _add(self, variables, first, name, size):
        at = variables[-1][1] + variables[-1][2] + GAP if variables else first
        variables.append((name, at // 256 * 256, size))
        self.constants[name] = at // 256 * 256

    def waits_for_predecessor(self):
        return any(i.op == "griddepcontrol" and "wait" in i.modifiers for i in self.code)


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


def _operand(text):
    if text[0] == "{":
        return tuple(split_operands(text.strip("{}")))
    if text[0] == "[":
        match = _ADDRESS.match(text)
        if match is None:
            raise Fault(f"the address {text} cannot be read")
        return Address(match.group(1), int(match.group(2) or "0", 0))
    return text


def _constant(name):
    """A number in the text as bits, or None."""
    if name[:2] in ("0f", "0F", "0d", "0D"):
        return int(name[2:], 16)
    if _INTEGER.match(name):
        return int(name.rstrip("U"), 0) & 0xFFFFFFFFFFFFFFFF
    return None


_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+)?(?:\.(?:global|shared)\s+)?"
                        r"(?:\.align\s+\d+\s+)?([\w$]+)(?:\[(\d+)\])?$")
_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{")
_VARIABLE = re.compile(r"\.(?:shared|local)\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+([\w$]+)(?:\[(\d*)\])?$")
_INSTRUCTION = re.compile(r"(?:@(!?)(%[\w$]+)\s+)?([\w.:]+)\s*(.*)$", re.S)


def _parameters(entry, text):
    offset = 0
    for part in split_operands(text):
        match = _PARAMETER.match(part)
        if match is None:
            raise Fault(f"{entry.name}: cannot read the parameter {part}")
        align, kind, name, count = match.groups()
        size = WIDTH[kind] // 8
        align = int(align or size)
        offset = (offset + align - 1) // align * align
        entry.parameters[name] = entry.constants[name] = offset
        offset += size * int(count or 1)
    entry.parameter_bytes = offset


def _variable(statement):
    match = _VARIABLE.search(statement)
    if match is None:
        raise Fault(f"cannot read the variable {statement}")
    kind, name, count = match.groups()
    return name, WIDTH[kind] // 8 * (int(count) if count else 1 if count is None else 0)


def _body(text, start):
    depth, end = 1, start
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return text[start:match.start()]
    raise Fault(f"the body at {end} does not end")


def bodies(text):
    """The texts of the entries of a PTX file by name: parameters, body, and what the file shares among them."""
    text = re.sub(r"//[^\n]*", "", text)
    found, outside, last = {}, [], 0
    for match in _ENTRY.finditer(text):
        body = _body(text, match.end())
        found[match.group(1)] = (match.group(2), body)
        outside.append(text[last:match.start()])
        last = match.end() + len(body)
    common = [_variable(s.strip()) for s in ";".join(outside).split(";") if ".shared" in s]
    return {name: (*texts, common) for name, texts in found.items()}


def entry_of(name, parameters, body, common=()):
    """One entry, ready to run."""
    entry = Entry(name)
    _parameters(entry, parameters)
    for variable, size in common:
        if re.search(rf"{re.escape(variable)}\b", body):
            entry.add_shared(variable, size)
    for statement in re.sub(r"(\$[\w$]+):", r"\1:;", body).split(";"):
        statement = statement.strip().lstrip("{} \n\t")
        if not statement:
            continue
        if statement[0] == ".":
            if statement.startswith(".local"):
                entry.add_local(*_variable(statement))
            if statement.startswith(".shared"):
                entry.add_shared(*_variable(statement))
            continue
        if statement[-1] == ":":
            entry.labels[statement[:-1]] = len(entry.code)
            continue
        match = _INSTRUCTION.match(statement)
        if match is None:
            raise Fault(f"{name}: cannot read the instruction {statement}")
        negated, guard, operation, operands = match.groups()
        operands = [_operand(text) for text in split_operands(" ".join(operands.split()))]
        entry.code.append(Instruction(guard, negated == "!", operation, operands, " ".join(statement.split())))
    for instruction in entry.code:
        for used in instruction.names():
            if used not in entry.constants and (value := _constant(used)) is not None:
                entry.constants[used] = value
    return entry
