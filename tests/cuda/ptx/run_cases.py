"""Runs the PTX of every shipped kernel on the cases of ptx_cases and holds it against the host, bit by bit.

    run_cases.py --cases FILE --headers FOLDER [--report FILE] [--first] [--counts] [--lenient] PTX [PTX ...]

A case names its kernel as shipped.inl does (a turn_kernel where it gives arguments alone) and holds
    task, addresses           the bytes that the launch passes; [byte, buffer, offset]: where addresses go into them
    grid, block, tokens
    buffers                   name, before, after, and addresses of buffers in front of it. What ends in _out holds
                              nothing before. `late`: the launch before may still be at work there, so that a kernel that
                              waits for it touches nothing there earlier (default: q, k and v, where they go, and their
                              caches)
    bytes                     of some buffers, by name: exactly what is read and written in all
--first runs one case of each kernel, and those whose names begin with `traffic`. --counts prints the warp instructions
per token of those, moves apart, as if every warp were full. --lenient allows what clang makes: local memory, and
registers that nothing has set where the result is dropped. The last line goes to REPORT too.
"""

import argparse
import json
import multiprocessing
import os
import re
import sys
import time

from addresses import with_addresses
from faults import Fault
from machine import WARP, Launch, Program
from memory import Memory
from names import readable_names
from program import bodies, entry_of

TEXTS = {}  # path -> kernel -> (mangled name, what bodies() gives)
CASES = {}  # kernel -> cases
MINIMUM = 20480  # bytes per token: 32 + 8 heads of 128 channels, 2 bytes each, in and out
HEADS = re.compile(r"(visual_)?[qkv]8?(_cache)?(_out)?$")


def full_name(kernel):
    return kernel if "<" in kernel or "," not in kernel else f"turn_kernel<{kernel}>"


def run(case, program):
    """Complaints, bytes of q, k and v, and the launch."""
    memory, buffers = Memory(), []
    for described in case["buffers"]:
        name = described["name"]
        late = described.get("late", HEADS.match(name) is not None)
        before = with_addresses(bytes.fromhex(described["before"]), described, [b.base for b in buffers])
        buffers.append(memory.add(name, before, initialised=not name.endswith("_out"), late=late))
    bases = [b.base for b in buffers]
    task = with_addresses(bytes.fromhex(case["task"]), case, bases)
    launch = Launch(program, memory, task, case["grid"], case["block"])
    launch.run()
    complaints = []
    for buffer, described in zip(buffers, case["buffers"]):
        right = with_addresses(bytes.fromhex(described["after"]), described, bases)
        if buffer.data != right:
            wrong = [at for at, (a, b) in enumerate(zip(buffer.data, right)) if a != b]
            complaints.append(f"{len(wrong)} bytes of {buffer.name} differ, the first at {wrong[0]}")
    for name, expected in case.get("bytes", {}).items():
        found = sum(b.loaded + b.stored for b in buffers if b.name == name)
        if found != expected:
            complaints.append(f"{found} bytes of {name} are moved, not {expected}")
    moved = sum(b.loaded + b.stored for b in buffers if HEADS.match(b.name))
    return complaints, moved, launch


def warp_instructions(launch):
    """Moves are left out: the assembler renames registers."""
    return sum(n for n, i in zip(launch.visits, launch.program.code) if i.op not in ("mov", "cvta")) / WARP


def cases_of(kernel, first):
    return [case for at, case in enumerate(CASES[kernel]) if not first or at == 0 or case["name"].startswith("traffic")]


def run_kernel(path, kernel, first=False, lenient=False):
    """What is wrong with a kernel, its races, bytes per token in the case `traffic`, and (case, warp instructions per
    token) of all whose names begin so."""
    wrong, races, traffic, counts = [], 0, None, []
    try:
        mangled, texts = TEXTS[path][kernel]
        program = Program(entry_of(mangled, *texts), lenient=lenient)
    except Fault as fault:
        return [str(fault)], 0, None, []
    for case in cases_of(kernel, first):
        name = case["name"]
        try:
            complaints, moved, launch = run(case, program)
        except Fault as fault:
            wrong.append(f"{name}: {fault}")
            continue
        wrong += [f"{name}: {text}" for text in complaints + launch.races[:3]]
        races += len(launch.races)
        if name.startswith("traffic"):
            counts.append((name, warp_instructions(launch) / case["tokens"]))
        if name == "traffic":
            traffic = moved / max(1, case["tokens"])
            if traffic != MINIMUM:
                wrong.append(f"{name}: {traffic} bytes per token, not {MINIMUM}")
    return wrong, races, traffic, counts


def read_cases(path):
    with open(path) as file:
        for case in json.load(file):
            CASES.setdefault(full_name(case["kernel"]), []).append(case)


def read_ptx(path, headers):
    """The names of its kernels."""
    with open(path) as file:
        texts = bodies(file.read())
    names = readable_names(list(texts), headers)
    TEXTS[path] = {names[mangled]: (mangled, text) for mangled, text in texts.items()}
    return set(TEXTS[path])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", required=True)
    parser.add_argument("--headers", required=True)
    parser.add_argument("--report")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--lenient", action="store_true")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("ptx", nargs="+")
    arguments = parser.parse_args()
    began = time.monotonic()
    read_cases(arguments.cases)
    for path in arguments.ptx:
        if differing := read_ptx(path, arguments.headers) ^ set(CASES):
            sys.exit(f"{path}: its kernels and those of the cases are not the same: {sorted(differing)}")
    work = [(path, kernel, arguments.first, arguments.lenient) for path in arguments.ptx for kernel in CASES]
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        results = pool.starmap(run_kernel, work, chunksize=1)
    good, races, traffic = set(CASES), 0, float("nan")
    for (path, kernel, *_), (wrong, raced, moved, counts) in zip(work, results):
        for text in wrong:
            print(f"{path}: {kernel}, {text}")
        if wrong:
            good.discard(kernel)
        for name, count in counts if arguments.counts else []:
            print(f"{path}: {kernel}, {name}: {count:.0f} warp instructions per token")
        races += raced
        traffic = traffic if moved is None else moved
    line = (f"cuda: {len(CASES)} instantiations, {len(good)} bitwise equal in PTX of {len(arguments.ptx)} targets, "
            f"{races} races, {traffic:.0f} bytes per token")
    ran = sum(len(cases_of(kernel, arguments.first)) for kernel in CASES)
    print(f"{ran} cases a target, {time.monotonic() - began:.0f} s")
    print(line)
    if arguments.report:
        with open(arguments.report, "w") as file:
            file.write(line + "\n")
    return 0 if len(good) == len(CASES) else 1


if __name__ == "__main__":
    sys.exit(main())
