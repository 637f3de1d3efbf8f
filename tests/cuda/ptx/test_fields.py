"""Whether the cases see every field of a launch: each that a kernel reads is taken for zero, one at a time.

    test_fields.py --cases FILE --headers FOLDER PTX

A stride, a count or an address that may be left out unnoticed is not tested. Left alone are fields of one byte, switches of
which some stand for speed alone, and counts of one, beside which none may mean the same.
"""

import argparse
import multiprocessing
import os
import re
import sys

import run_cases

COMMON = "bf16, channel_order::half_split, "
KERNELS = [f"turn_kernel<{COMMON}{rest}>" for rest in (
    "position_rows, 8, parts::plain", "token_rows, 8, parts::plain", "planned_rows, 8, parts::plain",
    "tail_rows, 8, parts::plain", "position_rows, 8, parts::norm_write")] + ["merge_kernel<bf16>", "fill_kernel<256>"]


def fields_read(body):
    """Byte in the launch -> bytes, of every field that a kernel loads, by its parameter's name or address."""
    bases = [r"\w+_param_0"] + [re.escape(name) for name in re.findall(r"mov\.[bu]64\s+(%\w+),\s*\w+_param_0;", body)]
    found = {}
    for match in re.finditer(rf"ld\.param\.[a-z](\d+)\s+%\w+,\s*\[(?:{'|'.join(bases)})(?:\+(\d+))?\];", body):
        if match[1] != "8":
            found[int(match[2] or 0)] = int(match[1]) // 8
    return found


def missed(path, kernel, at, size):
    """None where a zero in place of a field is seen, or where the field is at most one in every case."""
    cases, touched = [], False
    for case in run_cases.CASES[kernel]:
        task = bytearray(bytes.fromhex(case["task"]))
        addresses = [a for a in case.get("addresses", []) if a[0] != at]
        value = int.from_bytes(task[at:at + size], "little")
        touched = touched or value > 1 or len(addresses) != len(case.get("addresses", []))
        task[at:at + size] = bytes(size)
        cases.append({**case, "task": task.hex(), "addresses": addresses})
    if not touched:
        return None
    run_cases.CASES[kernel] = cases
    return None if run_cases.run_kernel(path, kernel)[0] else f"{kernel}: byte {at} of the launch may be zero"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", required=True)
    parser.add_argument("--headers", required=True)
    parser.add_argument("ptx")
    arguments = parser.parse_args()
    path = arguments.ptx
    run_cases.read_cases(arguments.cases)
    run_cases.read_ptx(path, arguments.headers)
    work = []
    for kernel in KERNELS:
        read = fields_read(run_cases.TEXTS[path][kernel][1][1])
        if not read:
            sys.exit(f"{path}: {kernel} reads nothing of its launch")
        work += [(path, kernel, at, size) for at, size in sorted(read.items())]
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        texts = [text for text in pool.starmap(missed, work, chunksize=1) if text]
    for text in texts:
        print(text)
    print(f"{len(work)} fields of launches, {len(texts)} of them not seen")
    return 1 if texts else 0


if __name__ == "__main__":
    sys.exit(main())
