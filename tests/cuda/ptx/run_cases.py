"""Runs the PTX of every shipped kernel on the cases of ptx_cases and holds it against the host, bit by bit.

    run_cases.py REPORT CASES PTX [PTX ...]

The last line goes to REPORT too.
"""

import json
import re
import subprocess
import sys

from machine import Launch
from memory import Fault, Memory
from program import parse


def kernels_of(path):
    """The entries of a PTX file under the names that shipped.inl gives them."""
    with open(path) as file:
        entries = parse(file.read())
    plain = subprocess.run(["c++filt"], input="\n".join(entries), capture_output=True, text=True, check=True).stdout
    found = {}
    for mangled, name in zip(entries, plain.splitlines()):
        arguments = re.search(r"turn_kernel<(.*)>\(", name).group(1)
        for long, short in (("polyrope::v0::", ""), ("cuda::detail::", ""), ("(channel_order)0", "channel_order::half_split"),
                            ("(channel_order)1", "channel_order::adjacent")):
            arguments = arguments.replace(long, short)
        found[arguments] = entries[mangled]
    return found


def run(case, entry):
    """Differences, races, and bytes of q and k per token."""
    memory, buffers = Memory(), []
    for described in case["buffers"]:
        output = described["name"].endswith("_out")
        buffers.append(memory.add(described["name"], bytes.fromhex(described["before"]), initialised=not output))
    task = bytearray(bytes.fromhex(case["task"]))
    for at, buffer, offset in case["addresses"]:
        task[at:at + 8] = (buffers[buffer].base + offset).to_bytes(8, "little")
    launch = Launch(entry, memory, bytes(task), case["grid"], case["block"])
    launch.run()
    wrong = 0
    for buffer, described in zip(buffers, case["buffers"]):
        right = bytes.fromhex(described["after"])
        wrong += sum(a != b for a, b in zip(buffer.data, right))
    moved = sum(b.loaded + b.stored for b in buffers if b.name[0] in "qk")
    return wrong, memory.races, moved // max(1, case["tokens"])


def main():
    report, cases_path, *ptx_paths = sys.argv[1:]
    with open(cases_path) as file:
        cases = json.load(file)
    names = {case["kernel"] for case in cases}
    equal, races, traffic, failed = 0, 0, None, False
    for path in ptx_paths:
        kernels = kernels_of(path)
        if set(kernels) != names:
            print(f"{path}: the kernels are not those of shipped.inl: {sorted(set(kernels) ^ names)}")
            return 1
        good = set(names)
        for case in cases:
            try:
                wrong, raced, moved = run(case, kernels[case["kernel"]])
            except Fault as fault:
                print(f"{path}: {case['kernel']}, {case['name']}: {fault}")
                good.discard(case["kernel"])
                continue
            if wrong or raced:
                print(f"{path}: {case['kernel']}, {case['name']}: {wrong} bytes differ, races {raced[:3]}")
                good.discard(case["kernel"])
            races += len(raced)
            if case["name"] == "traffic":
                traffic = moved
                failed = failed or moved != 20480
        equal += len(good)
        failed = failed or good != names
    line = (f"cuda: {len(names)} instantiations, {equal // len(ptx_paths)} bitwise equal in PTX of {len(ptx_paths)} targets, "
            f"{races} races, {traffic} bytes per token")
    print(line)
    with open(report, "w") as file:
        file.write(line + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
