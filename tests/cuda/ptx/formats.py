"""Floating-point numbers as bits, rounded as the hardware rounds them."""

import math
import struct

MASK = {1: 1, 8: 0xFF, 16: 0xFFFF, 32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}
CANONICAL_NAN = {16: 0x7FFF, 32: 0x7FFFFFFF, 64: 0x7FFFFFFFFFFFFFFF}

_pack_float, _unpack_float = struct.Struct("<f").pack, struct.Struct("<f").unpack
_pack_double, _unpack_double = struct.Struct("<d").pack, struct.Struct("<d").unpack


def float_of(bits, width):
    """The number that `width` bits stand for."""
    if width == 32:
        return _unpack_float((bits & MASK[32]).to_bytes(4, "little"))[0]
    if width == 64:
        return _unpack_double((bits & MASK[64]).to_bytes(8, "little"))[0]
    return struct.unpack("<e", (bits & MASK[16]).to_bytes(2, "little"))[0]


def bits_of(value, width):
    """The nearest number of `width` bits, ties to even; infinity past the largest."""
    if value != value:
        return CANONICAL_NAN[width]
    if width == 64:
        return int.from_bytes(_pack_double(value), "little")
    try:
        packed = _pack_float(value) if width == 32 else struct.pack("<e", value)
    except OverflowError:
        infinity = 0x7F800000 if width == 32 else 0x7C00
        return infinity | (0 if value > 0 else 1 << (width - 1))
    return int.from_bytes(packed, "little")


def bfloat16_of(value):
    """The nearest bfloat16 of a float32."""
    bits = bits_of(value, 32)
    if bits & 0x7FFFFFFF > 0x7F800000:
        return CANONICAL_NAN[16]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & MASK[16]


def signed(value, width):
    value &= MASK[width]
    return value - (1 << width) if value >> (width - 1) else value


def _is_finite(*values):
    return all(math.isfinite(v) for v in values)


def fma32(a, b, c):
    """a * b + c of float32 numbers as a double that rounds to float32 once: the sum is rounded to odd."""
    product = a * b
    total = product + c
    if not _is_finite(total):
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
    if not _is_finite(a, b, c):
        return a * b + c
    (na, da), (nb, db), (nc, dc) = (x.as_integer_ratio() for x in (a, b, c))
    numerator, denominator = na * nb * dc + nc * da * db, da * db * dc
    if numerator == 0:
        return a * b + c  # the sign of zero is that of the plain sum
    return numerator / denominator  # true division of integers rounds once


def round_whole(value, how):
    """A whole number by .rni, .rzi, .rmi or .rpi, sign of zero kept."""
    if not math.isfinite(value):
        return value
    whole = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[how](value)
    return math.copysign(float(whole), value) if whole == 0 else float(whole)


def float32_of_integer(value):
    """An integer as float32, rounded once."""
    shift = max(0, abs(value).bit_length() - 30)
    if shift == 0:
        return float(value)
    kept, lost = abs(value) >> shift, abs(value) & ((1 << shift) - 1)
    return math.copysign(float(kept * 2 + (1 if lost else 0)) * 2.0 ** (shift - 1), value)
