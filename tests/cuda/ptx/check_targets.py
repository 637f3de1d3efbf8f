"""Reads what the assembler says of every kernel: no stack, no spills, no more registers than registers.txt grants its kind.

    check_targets.py --headers FOLDER --budgets FILE LOG [LOG ...]

A line of the budgets is a number of registers and words; it speaks of the kernels whose name and arguments hold all of the
words, and the first such line counts. A line that no kernel needs any more fails; one that grants too much is named.
"""

import argparse
import re
import sys

from names import arguments_of, readable_names

SPARE = 8  # the step in which the device hands out registers


def read_budgets(path):
    with open(path) as file:
        lines = [line.split("#")[0].split() for line in file]
    return [(int(words[0]), words[1:]) for words in lines if words]


def read_log(path):
    """mangled name -> (registers, bytes of stack and spills)."""
    found, name, stack = {}, None, None
    with open(path) as file:
        for line in file:
            if match := re.search(r"Compiling entry function '([^']+)'", line):
                name, stack = match.group(1), None
            elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
                stack = sum(map(int, match.groups()))
            elif (match := re.search(r"Used (\d+) registers", line)) and name is not None:
                if stack is None:
                    sys.exit(f"{path}: nothing is said of the stack of {name}")
                found[name] = int(match.group(1)), stack
                name = None
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--headers", required=True)
    parser.add_argument("--budgets", required=True)
    parser.add_argument("logs", nargs="+")
    arguments = parser.parse_args()
    budgets = read_budgets(arguments.budgets)
    most, failed = [0] * len(budgets), False
    for path in arguments.logs:
        kernels = read_log(path)
        if not kernels:
            print(f"{path}: nothing to read")
            failed = True
            continue
        names = readable_names(list(kernels), arguments.headers)
        for mangled, (registers, stack) in kernels.items():
            name = names[mangled]
            words = {word.rpartition("::")[2] for word in arguments_of(name)}
            line = next((k for k, (_, wanted) in enumerate(budgets) if words.issuperset(wanted)), None)
            if line is None:
                print(f"{path}: {name}: no budget speaks of it")
                failed = True
                continue
            most[line] = max(most[line], registers)
            if registers > budgets[line][0]:
                print(f"{path}: {name}: {registers} registers, {budgets[line][0]} are granted")
                failed = True
            if stack:
                print(f"{path}: {name}: {stack} bytes of stack and spills")
                failed = True
        numbers = [registers for registers, _ in kernels.values()]
        print(f"{path}: {len(kernels)} kernels, {min(numbers)} to {max(numbers)} registers")
    for (granted, words), needed in zip(budgets, most):
        if granted - needed >= SPARE:
            print(f"the budget of {granted} for {' '.join(words)}: its kernels take {needed}")
        failed = failed or needed == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
