"""Runs the PTX of every shipped kernel on the cases of ptx_cases and holds it against the host, bit by bit.

    run_cases.py --cases FILE --headers FOLDER [--report FILE] [--first] PTX [PTX ...]

A case names its kernel as shipped.inl does (a turn_kernel where it gives arguments alone) and holds
    task, addresses           the bytes that the launch passes; [byte, buffer, offset]: where addresses go into them
    grid, block, tokens
    buffers                   name, before, after. What ends in _out holds nothing before. `late`: the launch before may
                              still be at work there, so that a kernel that waits for it touches nothing there earlier
                              (default: q, k and v, where they go, and their caches)
    bytes                     of some buffers, by name: exactly what is read and written in all
A PTX file that was built with -ftz=true is named flushing.ptx or similar: there, and only there, elements below 2^-124 may
differ. --first runs one case of each kernel. The last line goes to REPORT too.
"""

import argparse
import json
import multiprocessing
import os
import re
import sys
import time

from faults import Fault
from formats import float_of
from machine import Launch, Program
from memory import Memory
from names import arguments_of, readable_names
from program import bodies, entry_of

TEXTS = {}  # path -> kernel -> (mangled name, what bodies() gives)
CASES = {}  # kernel -> cases
SMALLEST = 2.0 ** -124
MINIMUM = 20480  # bytes per token: 32 + 8 heads of 128 channels, 2 bytes each, in and out
HEADS = re.compile(r"(visual_)?[qkv]8?(_cache)?(_out)?$")
ELEMENTS = {"float": 4, "bf16": 2, "f16": 2}


def full_name(kernel):
    return kernel if "<" in kernel or "," not in kernel else f"turn_kernel<{kernel}>"


def may_differ(case, name, a, b):
    """Whether bytes a and b, elements of one buffer, differ in none but the tiniest elements."""
    kind = arguments_of(full_name(case["kernel"]))[1]
    size = ELEMENTS.get(kind)
    if size is None or HEADS.match(name) is None:
        return False
    for at in range(0, len(a), size):
        x, y = (int.from_bytes(data[at:at + size], "little") for data in (a, b))
        if x != y:
            shift = 16 if kind == "bf16" else 0
            width = 16 if kind == "f16" else 32
            if not all(abs(float_of(bits << shift, width)) < SMALLEST for bits in (x, y)):
                return False
    return True


def run(case, program, flushing):
    """Complaints, races, and bytes of q, k and v."""
    memory, buffers = Memory(), []
    for described in case["buffers"]:
        name = described["name"]
        late = described.get("late", HEADS.match(name) is not None)
        buffers.append(memory.add(name, bytes.fromhex(described["before"]), initialised=not name.endswith("_out"), late=late))
    task = bytearray(bytes.fromhex(case["task"]))
    for at, buffer, offset in case.get("addresses", []):
        task[at:at + 8] = (buffers[buffer].base + offset).to_bytes(8, "little")
    launch = Launch(program, memory, bytes(task), case["grid"], case["block"])
    launch.run()
    complaints = []
    for buffer, described in zip(buffers, case["buffers"]):
        right = bytes.fromhex(described["after"])
        if buffer.data != right and not (flushing and may_differ(case, buffer.name, buffer.data, right)):
            wrong = [at for at, (a, b) in enumerate(zip(buffer.data, right)) if a != b]
            complaints.append(f"{len(wrong)} bytes of {buffer.name} differ, the first at {wrong[0]}")
    for name, expected in case.get("bytes", {}).items():
        found = sum(b.loaded + b.stored for b in buffers if b.name == name)
        if found != expected:
            complaints.append(f"{found} bytes of {name} are moved, not {expected}")
    moved = sum(b.loaded + b.stored for b in buffers if HEADS.match(b.name))
    return complaints, launch.races, moved


def run_kernel(path, kernel, first):
    """What is wrong with a kernel, its races, and bytes per token in the traffic case."""
    wrong, races, traffic = [], 0, None
    try:
        mangled, texts = TEXTS[path][kernel]
        program = Program(entry_of(mangled, *texts))
    except Fault as fault:
        return [str(fault)], 0, None
    for case in CASES[kernel][:1] if first else CASES[kernel]:
        try:
            complaints, raced, moved = run(case, program, "flush" in os.path.basename(path))
        except Fault as fault:
            wrong.append(f"{case['name']}: {fault}")
            continue
        wrong += [f"{case['name']}: {text}" for text in complaints + raced[:3]]
        races += len(raced)
        if case["name"] == "traffic":
            traffic = moved / max(1, case["tokens"])
            if traffic != MINIMUM:
                wrong.append(f"{case['name']}: {traffic} bytes per token, not {MINIMUM}")
    return wrong, races, traffic


def read(arguments):
    with open(arguments.cases) as file:
        for case in json.load(file):
            CASES.setdefault(full_name(case["kernel"]), []).append(case)
    for path in arguments.ptx:
        with open(path) as file:
            texts = bodies(file.read())
        names = readable_names(list(texts), arguments.headers)
        TEXTS[path] = {names[mangled]: (mangled, text) for mangled, text in texts.items()}
        if set(TEXTS[path]) != set(CASES):
            sys.exit(f"{path}: its kernels and those of the cases are not the same: {sorted(set(TEXTS[path]) ^ set(CASES))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", required=True)
    parser.add_argument("--headers", required=True)
    parser.add_argument("--report")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("ptx", nargs="+")
    arguments = parser.parse_args()
    began = time.monotonic()
    read(arguments)
    work = [(path, kernel, arguments.first) for path in arguments.ptx for kernel in CASES]
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        results = pool.starmap(run_kernel, work, chunksize=1)
    good, races, traffic = set(CASES), 0, float("nan")
    for (path, kernel, _), (wrong, raced, moved) in zip(work, results):
        for text in wrong:
            print(f"{path}: {kernel}, {text}")
        if wrong:
            good.discard(kernel)
        races += raced
        traffic = traffic if moved is None else moved
    line = (f"cuda: {len(CASES)} instantiations, {len(good)} bitwise equal in PTX of {len(arguments.ptx)} targets, "
            f"{races} races, {traffic:.0f} bytes per token")
    print(f"{sum(map(len, CASES.values()))} cases a target, {time.monotonic() - began:.0f} s")
    print(line)
    if arguments.report:
        with open(arguments.report, "w") as file:
            file.write(line + "\n")
    return 0 if len(good) == len(CASES) else 1


if __name__ == "__main__":
    sys.exit(main())
