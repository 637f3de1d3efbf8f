"""Runs an entry, thread by thread. Knows what the project's kernels are made of; anything else is refused by name."""

import math
import re

from formats import (MASK, bfloat16_of, bits_of, float32_of_integer, float_of, fma32, fma64, round_whole, signed)
from memory import Fault
from program import WIDTH, split_operands

_ADDRESS = re.compile(r"\[\s*([%\w$]+)\s*(?:\+\s*(-?\w+))?\s*\]$")
_INTEGER = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)U?$")


class Launch:
    """`grid` and `block` are (x, y, z). `counts` holds how often each opcode ran."""

    def __init__(self, entry, memory, parameters, grid, block):
        if len(parameters) != entry.parameter_bytes:
            raise Fault(f"{len(parameters)} bytes of parameters, the entry takes {entry.parameter_bytes}")
        self.entry, self.memory, self.parameters = entry, memory, parameters
        self.grid, self.block, self.counts = grid, block, {}

    def run(self):
        self.memory.begin_launch()
        number = 0
        for bz in range(self.grid[2]):
            for by in range(self.grid[1]):
                for bx in range(self.grid[0]):
                    for tz in range(self.block[2]):
                        for ty in range(self.block[1]):
                            for tx in range(self.block[0]):
                                number += 1
                                Thread(self, number, (bx, by, bz), (tx, ty, tz)).run()


class Thread:
    def __init__(self, launch, number, block_at, thread_at):
        self.launch, self.number, self.registers = launch, number, {}
        self.at = (block_at, thread_at)
        for name, values in (("%ctaid", block_at), ("%tid", thread_at), ("%nctaid", launch.grid), ("%ntid", launch.block)):
            for axis, value in zip("xyz", values):
                self.registers[f"{name}.{axis}"] = value

    def run(self):
        code, counts, pc = self.launch.entry.code, self.launch.counts, 0
        registers = self.registers
        while pc < len(code):
            i = code[pc]
            pc += 1
            if i.guard and bool(registers[i.guard]) == i.negated:
                continue
            counts[i.op] = counts.get(i.op, 0) + 1
            if i.op == "bra":
                pc = self.launch.entry.labels[i.operands[0]]
            elif i.op in ("ret", "exit"):
                return
            else:
                try:
                    handler = HANDLERS.get(i.op)
                    if handler is None:
                        raise Fault(f"the opcode {i.op} is not known")
                    handler(self, i)
                except (Fault, KeyError, ValueError) as error:
                    raise Fault(f"block {self.at[0]}, thread {self.at[1]}: {error} in: {i.text}") from error

    def value(self, operand):
        found = self.registers.get(operand)
        if found is not None:
            return found
        if operand[:2] in ("0f", "0F", "0d", "0D"):
            return int(operand[2:], 16)
        if _INTEGER.match(operand):
            return int(operand.rstrip("U"), 0) & MASK[64]
        if operand in self.launch.entry.parameters:
            return self.launch.entry.parameters[operand]
        raise Fault(f"{operand} was never set")

    def address(self, operand):
        base, offset = _ADDRESS.match(operand).groups()
        return self.value(base) + (int(offset, 0) if offset else 0) & MASK[64]


def _vector(i):
    for modifier in i.modifiers:
        if modifier in ("v2", "v4"):
            return int(modifier[1])
    return 1


def _widened(value, i, register):
    """A loaded value in its register, which may be wider: signed types fill it with their sign."""
    if i.type[0] != "s":
        return value
    return signed(value, i.width) & MASK[64 if register.startswith("%rd") else 32]


def _load(t, i):
    names, size, count = split_operands(i.operands[0].strip("{}")), i.width // 8, _vector(i)
    at = t.address(i.operands[1])
    if at % (size * count):
        raise Fault(f"misaligned access of {size * count} bytes")
    for k, name in enumerate(names):
        if i.modifiers[0] == "param":
            value = int.from_bytes(t.launch.parameters[at + k * size:at + (k + 1) * size], "little")
        elif "global" in i.modifiers:
            value = t.launch.memory.load(at + k * size, size, t.number)
        else:
            raise Fault("only parameters and global memory are known")
        t.registers[name] = _widened(value, i, name)


def _store(t, i):
    names, size, count = split_operands(i.operands[1].strip("{}")), i.width // 8, _vector(i)
    at = t.address(i.operands[0])
    if at % (size * count):
        raise Fault(f"misaligned access of {size * count} bytes")
    if "global" not in i.modifiers:
        raise Fault("only global memory is known")
    for k, name in enumerate(names):
        t.launch.memory.store(at + k * size, size, t.value(name), t.number)


def _move(t, i):
    to, source = i.operands
    if to[0] == "{":
        parts = split_operands(to.strip("{}"))
        width, value = i.width // len(parts), t.value(source)
        for k, name in enumerate(parts):
            t.registers[name] = value >> (k * width) & MASK[width]
    elif source[0] == "{":
        parts = split_operands(source.strip("{}"))
        width = i.width // len(parts)
        t.registers[to] = sum((t.value(name) & MASK[width]) << (k * width) for k, name in enumerate(parts))
    else:
        t.registers[to] = t.value(source) & MASK[i.width]


_COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
            "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def _operands(t, i, names):
    values = [t.value(name) for name in names]
    if i.type[0] == "f":
        return [float_of(v, i.width) for v in values]
    if i.type[0] == "s":
        return [signed(v, i.width) for v in values]
    return [v & MASK[i.width] for v in values]


def _set_predicate(t, i):
    a, b = _operands(t, i, i.operands[1:3])
    how = i.modifiers[0]
    unordered = i.type[0] == "f" and (a != a or b != b)
    if unordered:
        answer = len(how) == 3 and how.endswith("u")
    else:
        answer = _COMPARE[how[:2]](a, b)
    if len(i.operands) > 3:
        other = i.operands[3]
        second = bool(t.value(other.lstrip("!"))) != (other[0] == "!")
        answer = {"and": answer and second, "or": answer or second, "xor": answer != second}[i.modifiers[1]]
    to, _, inverse = i.operands[0].partition("|")
    t.registers[to] = int(answer)
    if inverse:
        t.registers[inverse] = int(not answer)


def _select(t, i):
    a, b, p = i.operands[1:]
    t.registers[i.operands[0]] = t.value(a if t.value(p) else b) & MASK[i.width]


def _arithmetic(floats, integers):
    def run(t, i):
        values = _operands(t, i, i.operands[1:])
        if i.type[0] == "f":
            if "approx" in i.modifiers or "ftz" in i.modifiers:
                raise Fault("an approximate or a flushing operation")
            if i.type == "f32" and i.op in ("add", "sub", "mul") and "rn" not in i.modifiers:
                raise Fault("an operation that the assembler may fuse")
            t.registers[i.operands[0]] = bits_of(floats(i, *values), i.width)
        else:
            t.registers[i.operands[0]] = integers(i, *values)
    return run


def _product(i, a, b, c=0):
    product = a * b
    if "wide" in i.modifiers:
        return product + c & MASK[2 * i.width]
    if "hi" in i.modifiers:
        product >>= i.width
    return product + c & MASK[i.width]


def _wide_addend(t, i):
    """mad: the addend of .wide has twice the width."""
    a, b = _operands(t, i, i.operands[1:3])
    width = 2 * i.width if "wide" in i.modifiers else i.width
    c = t.value(i.operands[3])
    t.registers[i.operands[0]] = _product(i, a, b, signed(c, width) if i.type[0] == "s" else c)


def _quotient(i, a, b):
    if i.width == 64:
        raise Fault("a division of 64 bits")
    return int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) & MASK[i.width] if b else MASK[i.width]


def _remainder(i, a, b):
    if i.width == 64:
        raise Fault("a division of 64 bits")
    return int(math.fmod(a, b)) & MASK[i.width] if b else a


def _logic(combine):
    def run(t, i):
        t.registers[i.operands[0]] = combine(*(t.value(name) for name in i.operands[1:])) & MASK[i.width]
    return run


def _negate(t, i):
    v = t.value(i.operands[1])
    t.registers[i.operands[0]] = (v ^ 1 << i.width - 1 if i.type[0] == "f" else -v) & MASK[i.width]


def _absolute(t, i):
    v = t.value(i.operands[1])
    t.registers[i.operands[0]] = v & MASK[i.width] >> 1 if i.type[0] == "f" else abs(signed(v, i.width)) & MASK[i.width]


def _shift_left(t, i):
    v, by = t.value(i.operands[1]), t.value(i.operands[2]) & MASK[32]
    t.registers[i.operands[0]] = (v << by) & MASK[i.width] if by < i.width else 0


def _shift_right(t, i):
    v, by = _operands(t, i, i.operands[1:2])[0], t.value(i.operands[2]) & MASK[32]
    t.registers[i.operands[0]] = v >> min(by, i.width) & MASK[i.width]


def _convert(t, i):
    to, source = i.modifiers[-2], i.modifiers[-1]
    values = [t.value(name) for name in i.operands[1:]]
    if to == "bf16x2":
        t.registers[i.operands[0]] = bfloat16_of(float_of(values[0], 32)) << 16 | bfloat16_of(float_of(values[1], 32))
        return
    width = WIDTH[source]
    if source in ("f16", "f32", "f64"):
        value = float_of(values[0], width)
    elif source == "bf16":
        value = float_of((values[0] & MASK[16]) << 16, 32)
    else:
        value = signed(values[0], width) if source[0] == "s" else values[0] & MASK[width]
    whole = next((m for m in i.modifiers if m in ("rni", "rzi", "rmi", "rpi")), None)
    if isinstance(value, float) and whole:
        value = round_whole(value, whole)
    t.registers[i.operands[0]] = _converted(value, to)


def _converted(value, to):
    width = WIDTH[to]
    if to == "bf16":
        return bfloat16_of(float(value))
    if to[0] == "f":
        return bits_of(float32_of_integer(value) if isinstance(value, int) and width == 32 else float(value), width)
    if isinstance(value, float):
        low, high = (-(1 << width - 1), (1 << width - 1) - 1) if to[0] == "s" else (0, MASK[width])
        value = 0 if value != value else high if value > high else low if value < low else int(value)
    if to[0] == "s" and width < 32:
        return signed(value, width) & MASK[32]
    return value & MASK[width]


HANDLERS = {
    "ld": _load,
    "st": _store,
    "mov": _move,
    "cvta": lambda t, i: t.registers.__setitem__(i.operands[0], t.value(i.operands[1])),
    "setp": _set_predicate,
    "selp": _select,
    "cvt": _convert,
    "add": _arithmetic(lambda i, a, b: a + b, lambda i, a, b: a + b & MASK[i.width]),
    "sub": _arithmetic(lambda i, a, b: a - b, lambda i, a, b: a - b & MASK[i.width]),
    "mul": _arithmetic(lambda i, a, b: a * b, _product),
    "fma": _arithmetic(lambda i, a, b, c: fma32(a, b, c) if i.width == 32 else fma64(a, b, c), None),
    "mad": _wide_addend,
    "div": _arithmetic(lambda i, a, b: a / b, _quotient),
    "rem": _arithmetic(None, _remainder),
    "min": _arithmetic(lambda i, a, b: min(a, b), lambda i, a, b: min(a, b) & MASK[i.width]),
    "max": _arithmetic(lambda i, a, b: max(a, b), lambda i, a, b: max(a, b) & MASK[i.width]),
    "neg": _negate,
    "abs": _absolute,
    "and": _logic(lambda a, b: a & b),
    "or": _logic(lambda a, b: a | b),
    "xor": _logic(lambda a, b: a ^ b),
    "not": _logic(lambda a: ~a),
    "shl": _shift_left,
    "shr": _shift_right,
    "pragma": lambda t, i: None,
}
