"""Reads the PTX of every shipped kernel for what it must not hold, and for the width of its accesses.

    check_ptx.py --headers FOLDER PTX [PTX ...]

No local memory, no calls, no 64-bit division, nothing approximate. Kernels of eight pairs a thread store q, k, v and caches
16 bytes at a time (8 where parts write e4m3) and load them so at least as often as the pairs of one head need; kernels of
one pair store single elements. What turns q and k waits for the launch before it once, on targets that can.
"""

import argparse
import re
import sys

from faults import Fault
from names import arguments_of, readable_names
from opcodes import access_bytes
from program import bodies, entry_of

FIRST_THAT_WAITS = 90  # of the targets
MOST_SAID = 20
ELEMENTS = {"float": 4, "bf16": 2, "f16": 2}


def complaints_of(entry, name):
    found = []
    for i in entry.code:
        if i.op in ("div", "rem") and i.width == 64 and i.type[0] in "su":
            found.append(f"a division of 64 bits: {i.text}")
        if i.op in ("sin", "cos", "tanh", "ex2", "lg2", "call") or "approx" in i.modifiers or "full" in i.modifiers:
            found.append(f"an approximate operation or a call: {i.text}")
        if "local" in i.modifiers:
            found.append(f"local memory: {i.text}")
    if entry.local:
        found.append(f"local memory: {entry.local[0][2]} bytes")
    kernel, *arguments = arguments_of(name)
    if kernel == "turn_kernel":
        found += complaints_of_widths(entry, *arguments)
    return found


def complaints_of_widths(entry, element, order, source, pairs, parts="parts::plain"):
    def accesses(op):
        return [(access_bytes(i), i.text) for i in entry.code if i.op == op and "global" in i.modifiers]
    size, wide = ELEMENTS[element], int(pairs) > 1
    narrow = "write" in parts  # e4m3
    widths = ({16, 8} if narrow else {16}) if wide else {size, 1} if narrow else {size}
    found = [f"a store of {n} bytes, in a kernel that writes no type of that size: {text}"
             for n, text in accesses("st") if n not in widths]
    if not wide:
        return found + [f"a load of {n} bytes: {text}" for n, text in accesses("ld") if n > 8]
    needed = 2 * int(pairs) * size // 16
    for op in ("ld", "st"):
        there = sum(n == 16 for n, _ in accesses(op))
        if there < needed:
            found.append(f"{there} accesses of 16 bytes by {op}, one head needs {needed}")
    return found


def complaints_of_file(path, headers):
    """Sentences about all kernels of a file."""
    with open(path) as file:
        text = file.read()
    target = int(re.search(r"\.target\s+sm_(\d+)", text).group(1))
    texts, said = bodies(text), []
    names = readable_names(list(texts), headers)
    for mangled, parts in texts.items():
        try:
            entry = entry_of(mangled, *parts)
            found = complaints_of(entry, names[mangled])
            if target >= FIRST_THAT_WAITS and names[mangled].startswith("turn_kernel"):
                waits = sum(i.op == "griddepcontrol" and "wait" in i.modifiers for i in entry.code)
                found += [f"{waits} waits for the launch before it, not 1"] if waits != 1 else []
        except Fault as fault:
            found = [str(fault)]
        said += [f"{names[mangled]}: {sentence}" for sentence in found]
    if not texts:
        said.append("no kernels")
    return said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--headers", required=True)
    parser.add_argument("ptx", nargs="+")
    arguments = parser.parse_args()
    failed = False
    for path in arguments.ptx:
        said = complaints_of_file(path, arguments.headers)
        for sentence in said[:MOST_SAID]:
            print(f"{path}: {sentence}")
        print(f"{path}: {len(said)} complaints")
        failed = failed or bool(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
