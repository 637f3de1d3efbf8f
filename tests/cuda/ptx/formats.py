"""Floating-point numbers as bits, rounded as the hardware rounds them."""

import math
import struct

MASK = {width: (1 << width) - 1 for width in (1, 8, 16, 32, 64, 128)}
CANONICAL_NAN = {16: 0x7FFF, 32: 0x7FFFFFFF, 64: 0x7FFFFFFFFFFFFFFF}
_INFINITY = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}

_HALF, _FLOAT, _DOUBLE = (struct.Struct(name) for name in ("<e", "<f", "<d"))
_STRUCT = {16: _HALF, 32: _FLOAT, 64: _DOUBLE}


def float_of(bits, width):
    """The number that `width` bits stand for."""
    return _STRUCT[width].unpack((bits & MASK[width]).to_bytes(width // 8, "little"))[0]


def bits_of(value, width):
    """The nearest number of `width` bits, ties to even; infinity past the largest."""
    if value != value:
        return CANONICAL_NAN[width]
    try:
        return int.from_bytes(_STRUCT[width].pack(value), "little")
    except OverflowError:
        return _INFINITY[width] | (0 if value > 0 else 1 << (width - 1))


def flushed(bits):
    """A float32 as .ftz reads and writes it: a subnormal is a zero of its sign."""
    return bits if bits & 0x7F800000 else bits & 0x80000000


def bfloat16_of(value):
    """The nearest bfloat16 of a float32."""
    bits = bits_of(value, 32)
    if bits & 0x7FFFFFFF > 0x7F800000:
        return CANONICAL_NAN[16]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & MASK[16]


def e4m3_of(value):
    """The nearest e4m3 (.satfinite: the largest, 448, past it), ties to even."""
    if value != value:
        return 0x7F
    sign, size = 0x80 if math.copysign(1.0, value) < 0 else 0, abs(value)
    if size >= 448.0:
        return sign | 0x7E
    exponent = max(math.frexp(size)[1] - 1, -6) if size else -6
    steps = round(size * 2.0 ** (3 - exponent))  # of 2^(exponent - 3); round() takes ties to even
    return sign | (exponent + 6 << 3) + steps


def of_e4m3(bits):
    """The number that an e4m3 stands for."""
    sign, exponent, part = -1.0 if bits & 0x80 else 1.0, bits >> 3 & 15, bits & 7
    if bits & 0x7F == 0x7F:
        return math.nan
    return sign * (part * 2.0 ** -9 if exponent == 0 else (8 + part) * 2.0 ** (exponent - 10))


def signed(value, width):
    value &= MASK[width]
    return value - (1 << width) if value >> (width - 1) else value


def fma32(a, b, c):
    """a * b + c of float32 numbers as a double that rounds to float32 once: the sum is rounded to odd."""
    product = a * b
    total = product + c
    if not math.isfinite(total):
        return total
    part = total - product
    error = (product - (total - part)) + (c - part)
    if error:
        bits = bits_of(total, 64)
        if not bits & 1:
            total = float_of(bits + (1 if (error > 0) == (total > 0) else -1), 64)
    return total


def fma64(a, b, c):
    """a * b + c of doubles with one rounding, by exact integers."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    (na, da), (nb, db), (nc, dc) = (x.as_integer_ratio() for x in (a, b, c))
    numerator, denominator = na * nb * dc + nc * da * db, da * db * dc
    if numerator == 0:
        return a * b + c  # the sign of zero is that of the plain sum
    return numerator / denominator  # true division of integers rounds once


def quotient(a, b):
    """a / b as a double; of float32 numbers it rounds to float32 as the exact one does."""
    if b == 0.0 and a == a:
        return math.nan if a == 0.0 else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def root(a):
    return math.nan if a < 0.0 else math.sqrt(a)


def smaller(a, b):
    """The smaller one; -0 is below +0, and a NaN gives way."""
    if a != a or b != b:
        return b if a != a else a
    return b if b < a or (a == b and math.copysign(1.0, b) < 0) else a


def round_whole(value, how):
    """A whole number by .rni, .rzi, .rmi or .rpi, sign of zero kept."""
    if not math.isfinite(value):
        return value
    whole = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[how](value)
    return math.copysign(float(whole), value) if whole == 0 else float(whole)


def float32_of_integer(value):
    """An integer as a double that rounds to float32 once."""
    shift = max(0, abs(value).bit_length() - 30)
    if shift == 0:
        return float(value)
    kept, lost = abs(value) >> shift, abs(value) & ((1 << shift) - 1)
    return math.copysign(float(kept * 2 + (1 if lost else 0)) * 2.0 ** (shift - 1), value)
