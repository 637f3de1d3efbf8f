"""Addresses that a case leaves open until its buffers have a place."""


def with_addresses(data, described, bases):
    """`data` with every address of described["addresses"]: [byte, buffer, offset], of buffers that have a base."""
    out = bytearray(data)
    for at, buffer, offset in described.get("addresses", []):
        out[at:at + 8] = (bases[buffer] + offset).to_bytes(8, "little")
    return bytes(out)
