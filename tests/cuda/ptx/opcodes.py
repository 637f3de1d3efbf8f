"""What each opcode does to a thread: a maker takes an instruction and gives a function of the thread.

Knows what nvcc and clang make of the project's kernels and of known.cu; anything else is refused by name.
"""

import math

from faults import Fault
from formats import (CANONICAL_NAN, MASK, bfloat16_of, bits_of, e4m3_of, float32_of_integer, float_of, flushed, fma32, fma64,
                     of_e4m3, quotient, root, round_whole, signed, smaller)
from program import WIDTH

FLOATS = ("f16", "f32", "f64")
PARAMETERS_END, SHARED_END, LOCAL_END = 0x1000, 0x1000000, 0x2000000  # of generic addresses


def step_of(i, approximate=False):
    """The function of an instruction. Approximate ones are refused unless `approximate`: they are taken as exact then."""
    if not approximate and ("approx" in i.modifiers or "full" in i.modifiers):
        raise Fault(f"an approximate operation: {i.text}")
    maker = MAKERS.get(i.op)
    if maker is None:
        raise Fault(f"the opcode {i.op} is not known: {i.text}")
    return maker(i)


def truth(registers, name):
    """A predicate, which may be negated."""
    return not registers[name[1:]] if name[0] == "!" else bool(registers[name])


# Numbers of a type from bits and back.
def _reader(kind, flushes=False):
    width = WIDTH[kind]
    if kind in FLOATS:
        if flushes and width == 32:
            return lambda bits: float_of(flushed(bits & MASK[32]), 32)
        return lambda bits: float_of(bits, width)
    if kind == "bf16":
        return lambda bits: float_of((bits & MASK[16]) << 16, 32)
    if kind[0] == "s":
        return lambda bits: signed(bits, width)
    mask = MASK[width]
    return lambda bits: bits & mask


def _writer(kind, flushes=False):
    width = WIDTH[kind]
    if kind in FLOATS:
        if flushes and width == 32:
            return lambda value: flushed(bits_of(value, 32))
        return lambda value: bits_of(value, width)
    mask = MASK[width]
    return lambda value: value & mask


# Memory.
def _vector(i):
    return next((int(m[1:]) for m in i.modifiers if m in ("v2", "v4", "v8")), 1)


def access_bytes(i):
    """What a load or a store moves."""
    return i.width // 8 * _vector(i)


def _is_strong(i):
    return any(m in i.modifiers for m in ("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"))


def _place(i, operand):
    """A function of the thread that gives memory and address. Generic addresses tell the space by their range."""
    base, offset = operand.base, operand.offset
    space = next((m for m in i.modifiers if m.partition("::")[0] in ("param", "global", "shared", "const", "local")), "")
    space = space.partition("::")[0]
    if space == "const":
        raise Fault(f"{space} memory is not known: {i.text}")

    def place(t):
        at = t.registers[base] + offset & MASK[64]
        if space == "param" or (not space and at < PARAMETERS_END):
            return t.launch.parameters, at
        if space == "shared" or (not space and at < SHARED_END):
            return t.block.shared, at
        if space == "local" or (not space and at < LOCAL_END):
            return t.local, at
        return t.launch.memory, at
    return place


def _load(i):
    names = i.operands[0] if isinstance(i.operands[0], tuple) else (i.operands[0],)
    place, size, whole = _place(i, i.operands[1]), i.width // 8, access_bytes(i)
    fills = {name: MASK[64 if name.startswith("%rd") else 32] for name in names} if i.type[0] == "s" else None
    strong, acquires = _is_strong(i), "acquire" in i.modifiers

    def step(t):
        memory, at = place(t)
        value = memory.load(at, whole, t, i.text, strong)
        if strong:
            t.launch.order.hear(t, at)
            if acquires:
                t.launch.order.fence(t)
        for k, name in enumerate(names):
            part = value >> 8 * size * k & MASK[i.width]
            # Signed types fill a wider register with their sign.
            t.registers[name] = signed(part, i.width) & fills[name] if fills else part
    return step


def _store(i):
    names = i.operands[1] if isinstance(i.operands[1], tuple) else (i.operands[1],)
    place, size, whole = _place(i, i.operands[0]), i.width // 8, access_bytes(i)
    strong, releases = _is_strong(i), "release" in i.modifiers

    def step(t):
        memory, at = place(t)
        value = 0
        for k, name in enumerate(names):
            value |= (t.registers[name] & MASK[i.width]) << 8 * size * k
        if releases:
            t.launch.order.fence(t)
        memory.store(at, whole, value, t, i.text, strong)
        if strong:
            t.launch.order.publish(t, at, False)
    return step


_COMBINE = {"add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
            "xor": lambda a, b: a ^ b, "exch": lambda a, b: b}


def _atomic(i):
    returns = i.op == "atom"
    to = i.operands[0] if returns else None
    address, *sources = i.operands[1:] if returns else i.operands
    place, read, write = _place(i, address), _reader(i.type), _writer(i.type)
    how = next((m for m in i.modifiers if m in _COMBINE or m == "cas"), None)
    if how is None:
        raise Fault(f"an atomic operation that is not known: {i.text}")

    def step(t):
        memory, at = place(t)
        if "release" in i.modifiers or "acq_rel" in i.modifiers:
            t.launch.order.fence(t)
        old = memory.load(at, i.width // 8, t, i.text, True)
        t.launch.order.hear(t, at)
        given = [t.registers[name] for name in sources]
        if how == "cas":
            new = given[1] & MASK[i.width] if old == given[0] & MASK[i.width] else old
        else:
            new = write(_COMBINE[how](read(old), read(given[0])))
        memory.store(at, i.width // 8, new, t, i.text, True)
        t.launch.order.publish(t, at, True)
        if "acquire" in i.modifiers or "acq_rel" in i.modifiers:
            t.launch.order.fence(t)
        if returns:
            t.registers[to] = old
    return step


def _fence(i):
    if not any(m in i.modifiers for m in ("gl", "gpu", "sys")):
        return _nothing(i)

    def step(t):
        t.launch.order.fence(t)
    return step


def _grid_dependency(i):
    def step(t):
        if "wait" in i.modifiers:
            t.waited = True
    return step


def _nothing(i):
    return lambda t: None


# Moves.
def _move(i):
    to, source = i.operands
    if isinstance(to, tuple):
        width = i.width // len(to)

        def step(t):
            value = t.registers[source]
            for k, name in enumerate(to):
                t.registers[name] = value >> k * width & MASK[width]
    elif isinstance(source, tuple):
        width = i.width // len(source)

        def step(t):
            t.registers[to] = sum((t.registers[name] & MASK[width]) << k * width for k, name in enumerate(source))
    else:
        mask = MASK[i.width]

        def step(t):
            t.registers[to] = t.registers[source] & mask
    return step


def _select(i):
    to, a, b, p = i.operands
    mask = MASK[i.width]

    def step(t):
        t.registers[to] = t.registers[a if truth(t.registers, p) else b] & mask
    return step


# Comparisons.
_COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
            "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
_COMPARE.update({"lo": _COMPARE["lt"], "ls": _COMPARE["le"], "hi": _COMPARE["gt"], "hs": _COMPARE["ge"]})


def _comparison(i):
    how = i.modifiers[0]
    if i.type not in FLOATS:
        return _COMPARE[how]
    if how in ("num", "nan"):
        return lambda a, b: (a != a or b != b) == (how == "nan")
    compare, unordered = _COMPARE[how[:2]], how.endswith("u")
    return lambda a, b: unordered if a != a or b != b else compare(a, b)


def _set_predicate(i):
    to, _, inverse = i.operands[0].partition("|")
    a, b, *other = i.operands[1:]
    compare, read = _comparison(i), _reader(i.type, i.flushes)
    combine = {"and": lambda x, y: x and y, "or": lambda x, y: x or y, "xor": lambda x, y: x != y}
    with_other = combine[i.modifiers[1]] if other else None

    def step(t):
        registers = t.registers
        answer = compare(read(registers[a]), read(registers[b]))
        if with_other:
            answer, opposite = (with_other(x, truth(registers, other[0])) for x in (answer, not answer))
        else:
            opposite = not answer
        registers[to] = int(answer)
        if inverse:
            registers[inverse] = int(opposite)
    return step


# Arithmetic.
def _arithmetic(floats, integers):
    def make(i):
        is_float = i.type in FLOATS
        work = floats if is_float else integers
        if work is None or i.type not in WIDTH:
            raise Fault(f"the type of an operation is not known: {i.text}")
        unrounded = is_float and not any(m in i.modifiers for m in ("rn", "approx", "full"))
        if unrounded and (i.op == "mul" or (i.op in ("add", "sub") and i.width == 32)):
            raise Fault(f"an operation that the assembler may fuse: {i.text}")
        if any(m in i.modifiers for m in ("rz", "rm", "rp", "sat", "cc")):
            raise Fault(f"a modifier that is not known: {i.text}")
        to, *sources = i.operands
        read, write = _reader(i.type, i.flushes), _writer(i.type, i.flushes)
        if len(sources) == 1:
            a, = sources
            return lambda t: t.registers.__setitem__(to, write(work(read(t.registers[a]))))
        if len(sources) == 2:
            a, b = sources
            return lambda t: t.registers.__setitem__(to, write(work(read(t.registers[a]), read(t.registers[b]))))
        a, b, c = sources
        return lambda t: t.registers.__setitem__(
            to, write(work(read(t.registers[a]), read(t.registers[b]), read(t.registers[c]))))
    return make


def _fma(i):
    return _arithmetic(fma64 if i.width == 64 else fma32, None)(i)


def _multiply(i):
    """mul and mad of integers: the low or the high half of the product, or all of it."""
    if i.type in FLOATS:
        return _arithmetic(lambda a, b: a * b, None)(i)
    to, a, b, *addend = i.operands
    read = _reader(i.type)
    shift = i.width if "hi" in i.modifiers else 0
    width = 2 * i.width if "wide" in i.modifiers else i.width

    def step(t):
        registers = t.registers
        value = read(registers[a]) * read(registers[b]) >> shift
        if addend:
            value += registers[addend[0]]
        registers[to] = value & MASK[width]
    return step


def _whole_quotient(a, b):
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _whole_remainder(a, b):
    return a if b == 0 else a - b * _whole_quotient(a, b)


def _sign_changed(change_float, change_integer):
    def make(i):
        to, source = i.operands
        top, mask = 1 << i.width - 1, MASK[i.width]
        if i.type[0] not in "fb":
            return lambda t: t.registers.__setitem__(to, change_integer(signed(t.registers[source], i.width)) & mask)
        if i.flushes:
            return lambda t: t.registers.__setitem__(to, change_float(flushed(t.registers[source] & mask), top))
        return lambda t: t.registers.__setitem__(to, change_float(t.registers[source] & mask, top))
    return make


def _bits(work):
    """An operation on plain bits. `work` takes the width first."""
    def make(i):
        to, *sources = i.operands
        width, mask = i.width, MASK[i.width]

        def step(t):
            t.registers[to] = work(width, *[t.registers[name] & MASK[64] for name in sources]) & mask
        return step
    return make


def _not(i):
    if i.type != "pred":
        return _bits(lambda w, a: ~a)(i)
    return _bits(lambda w, a: a ^ 1)(i)


def _shift_right(i):
    to, value, by = i.operands
    read, width, mask = _reader(i.type), i.width, MASK[i.width]
    return lambda t: t.registers.__setitem__(to, read(t.registers[value]) >> min(t.registers[by] & MASK[32], width) & mask)


def _funnel(i):
    """shf: 32 bits out of two words."""
    to, low, high, by = i.operands
    left, wraps = "l" in i.modifiers, "wrap" in i.modifiers

    def step(t):
        n = t.registers[by] & MASK[32]
        n = n & 31 if wraps else min(n, 32)
        both = (t.registers[high] & MASK[32]) << 32 | t.registers[low] & MASK[32]
        t.registers[to] = (both << n >> 32 if left else both >> n) & MASK[32]
    return step


def _extract(i):
    """bfe: a run of bits, filled with its sign if the type has one."""
    to, source, start, count = i.operands

    def step(t):
        p, n = t.registers[start] & 255, t.registers[count] & 255
        value = signed(t.registers[source], i.width) if i.type[0] == "s" else t.registers[source] & MASK[i.width]
        part = value >> p & (1 << n) - 1
        if i.type[0] == "s" and n and part >> n - 1:
            part -= 1 << n
        t.registers[to] = part & MASK[i.width]
    return step


def _insert(width, a, b, start, count):
    p, n = start & 255, count & 255
    field = ((1 << n) - 1) << p & MASK[width]
    return b & ~field | a << p & field


def _permute(i):
    """prmt: four bytes out of eight, by a nibble each, whose top bit asks for the sign."""
    if i.type != "b32" or len(i.modifiers) > 1:
        raise Fault(f"a mode that is not known: {i.text}")

    def work(width, a, b, selector):
        both, out = a & MASK[32] | (b & MASK[32]) << 32, 0
        for k in range(4):
            nibble = selector >> 4 * k & 15
            byte = both >> 8 * (nibble & 7) & 255
            out |= ((255 if byte & 128 else 0) if nibble & 8 else byte) << 8 * k
        return out
    return _bits(work)(i)


def _three_input_logic(width, a, b, c, table):
    out = 0
    for at in range(8):
        if table >> at & 1:
            out |= (a if at & 4 else ~a) & (b if at & 2 else ~b) & (c if at & 1 else ~c)
    return out


# Conversions.
_PAIRS = {"f16x2": ("f16", 16), "bf16x2": ("bf16", 16), "e4m3x2": ("e4m3", 8)}


def _into(kind):
    """A function that rounds a number to the bits of a type, as cvt does."""
    if kind == "bf16":
        return lambda value: bfloat16_of(float(value))
    if kind == "e4m3":
        return e4m3_of
    width = WIDTH[kind]
    if kind in FLOATS:
        def to_float(value):
            if isinstance(value, int):
                value = float(value) if width == 64 else float32_of_integer(value)
            return bits_of(value, width)
        return to_float
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if kind[0] == "s" else (0, MASK[width])
    mask = MASK[max(width, 32)] if kind[0] == "s" else MASK[width]

    def to_integer(value):
        if isinstance(value, float):
            value = 0 if value != value else high if value > high else low if value < low else int(value)
        return (signed(value, width) if kind[0] == "s" else value) & mask
    return to_integer


def _convert(i):
    to, source = i.modifiers[-2:]
    if any(m in i.modifiers for m in ("rz", "rm", "rp", "sat", "relu")):
        raise Fault(f"a modifier that is not known: {i.text}")
    name, *sources = i.operands
    if to in _PAIRS:
        return _convert_pair(i, name, sources, to, source)
    read, write = _reader(source, i.flushes), _into(to)
    whole = next((m for m in i.modifiers if m in ("rni", "rzi", "rmi", "rpi")), None)
    if source not in FLOATS + ("bf16",) or whole is None:
        whole = None
    flushes = i.flushes and to == "f32"
    from_name = sources[0]

    def step(t):
        value = read(t.registers[from_name])
        if whole:
            value = round_whole(value, whole)
        bits = write(value)
        t.registers[name] = flushed(bits) if flushes else bits
    return step


def _convert_pair(i, name, sources, to, source):
    part, width = _PAIRS[to]
    write = _into(part)
    if source in _PAIRS:  # e4m3x2 widened
        if _PAIRS[source][0] != "e4m3":
            raise Fault(f"a conversion that is not known: {i.text}")
        return lambda t: t.registers.__setitem__(
            name, sum(write(of_e4m3(t.registers[sources[0]] >> 8 * k & 255)) << width * k for k in range(2)))
    if (part == "e4m3") != ("satfinite" in i.modifiers):
        raise Fault(f"a conversion that is not known: {i.text}")
    read, (high, low) = _reader(source, i.flushes), sources
    return lambda t: t.registers.__setitem__(
        name, write(read(t.registers[high])) << width | write(read(t.registers[low])))


_sum = _arithmetic(lambda a, b: a + b, lambda a, b: a + b)
_difference = _arithmetic(lambda a, b: a - b, lambda a, b: a - b)

MAKERS = {
    "ld": _load,
    "ldu": _load,
    "st": _store,
    "atom": _atomic,
    "red": _atomic,
    "membar": _fence,
    "fence": _fence,
    "griddepcontrol": _grid_dependency,
    "pragma": _nothing,
    "prefetch": _nothing,
    "mov": _move,
    "cvta": _move,
    "selp": _select,
    "setp": _set_predicate,
    "cvt": _convert,
    "add": _sum,
    "sub": _difference,
    "mul": _multiply,
    "mad": _multiply,
    "fma": _fma,
    "div": _arithmetic(quotient, _whole_quotient),
    "rem": _arithmetic(None, _whole_remainder),
    "rcp": _arithmetic(lambda a: quotient(1.0, a), None),
    "sqrt": _arithmetic(root, None),
    "rsqrt": _arithmetic(lambda a: quotient(1.0, root(a)), None),
    "sin": _arithmetic(math.sin, None),
    "cos": _arithmetic(math.cos, None),
    "ex2": _arithmetic(lambda a: 2.0 ** a, None),
    "min": _arithmetic(smaller, min),
    "max": _arithmetic(lambda a, b: -smaller(-a, -b), max),
    "neg": _sign_changed(lambda bits, top: bits ^ top, lambda v: -v),
    "abs": _sign_changed(lambda bits, top: bits & ~top, abs),
    "and": _bits(lambda w, a, b: a & b),
    "or": _bits(lambda w, a, b: a | b),
    "xor": _bits(lambda w, a, b: a ^ b),
    "not": _not,
    "lop3": _bits(_three_input_logic),
    "shl": _bits(lambda w, a, by: a << by if by & MASK[32] < w else 0),
    "shr": _shift_right,
    "shf": _funnel,
    "bfe": _extract,
    "bfi": _bits(_insert),
    "prmt": _permute,
    "popc": _bits(lambda w, a: bin(a & MASK[w]).count("1")),
    "clz": _bits(lambda w, a: w - (a & MASK[w]).bit_length()),
    "brev": _bits(lambda w, a: int(f"{a & MASK[w]:0{w}b}"[::-1], 2)),
}
