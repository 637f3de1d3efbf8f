"""Reads what the assembler says of every kernel: no stack, no spills, registers for two blocks of 256 threads.

    check_targets.py LOG [LOG ...]
"""

import re
import sys

MOST_REGISTERS = 128


def main():
    failed = False
    for path in sys.argv[1:]:
        with open(path) as file:
            text = file.read()
        frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", text)
        registers = [int(r) for r in re.findall(r"Used (\d+) registers", text)]
        if not registers or len(frames) < len(registers):
            print(f"{path}: nothing to read")
            failed = True
            continue
        spilled = sum(any(int(b) for b in frame) for frame in frames)
        failed = failed or spilled > 0 or max(registers) > MOST_REGISTERS
        print(f"{path}: {len(registers)} kernels, {min(registers)} to {max(registers)} registers, {spilled} with a stack")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
