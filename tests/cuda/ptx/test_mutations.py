"""Plants faults in copies of the device's headers, one at a time: each must be caught on the kernel that it is in.

    test_mutations.py --cases FILE --headers FOLDER --source FOLDER -- COMPILER ...

A planted fault whose place is gone fails, so that it is planted anew. The first is none: nothing may be found there.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

from check_ptx import complaints_of_file
from faults import Fault
from run_cases import read_cases, read_ptx, run_kernel

DETAIL = "polyrope/cuda/detail/"
PLAIN = "bf16, channel_order::half_split, position_rows, 8, parts::plain"
NORM = "bf16, channel_order::half_split, position_rows, 8, parts::norm"
# What is planted, in which kernel, where, what stands there, and what does then.
PLANTED = [
    ("nothing", NORM, "turn.hpp", "", ""),
    ("axes h and w swapped", PLAIN, "angles.hpp",
     "token_offset + a * task->axis_stride", "token_offset + (a == 0 ? 0 : 3 - a) * task->axis_stride"),
    ("a tail one step further", "f16, channel_order::adjacent, tail_rows, 8, parts::plain", "plan_points.hpp",
     "past(plans.live[n] - tail->first)", "past(plans.live[n] - tail->first + 1)"),
    ("a block's last tokens past the end", PLAIN, "launch.cuh", "n >= task.tokens", "n > task.tokens"),
    ("a unit past the head", NORM, "turn.hpp",
     "here = a < o.head_dim", "here = a <= o.head_dim"),
    ("a head of the next thread", PLAIN, "turn.hpp",
     "rest < task.heads_each ? rest : task.heads_each", "rest <= task.heads_each ? rest : task.heads_each + 1"),
    ("a shuffle step dropped", NORM, "launch.cuh", "int32_t d = width / 2; d > 0;", "int32_t d = width / 2; d > 1;"),
    ("lanes shuffled with those of another head", NORM, "launch.cuh", "__shfl_xor_sync(mask, x, d)",
     "__shfl_xor_sync(mask, x, 2 * d)"),
    ("the wait for the launch before dropped", PLAIN, "turn.hpp",
     'asm volatile("griddepcontrol.wait;" ::: "memory");', ""),
    ("the wait behind the loads", PLAIN, "turn.hpp", "if constexpr (has_norm(Parts) && one_unit) {",
     "if (m == first) wait_for_predecessor();\n            if constexpr (has_norm(Parts) && one_unit) {"),
    ("a head's stride ignored", PLAIN, "turn.hpp", "from + m * o.head_stride * size", "from + m * o.head_dim * size"),
    ("a token's stride ignored", PLAIN, "turn.hpp",
     "place * o.token_stride * size", "place * o.heads * o.head_dim * size"),
    ("a slot ignored", PLAIN, "turn.hpp", "task.slots == nullptr ? n : task.slots[n]", "n"),
    ("a page past the cache", "bf16, channel_order::half_split, position_rows, 8, parts::write", "write.hpp",
     "page >= static_cast<std::uint32_t>(pages.count)", "page > static_cast<std::uint32_t>(pages.count)"),
    ("the original position twice", "bf16, channel_order::half_split, planned_rows, 8, parts::banks", "turn.hpp",
     "source.other()", "source"),
]


def found_in(name, kernel, file, here, planted, arguments):
    """Sentences of the checks that find the fault."""
    with open(os.path.join(arguments.source, DETAIL, file)) as read:
        text = read.read()
    if here and text.count(here) != 1:
        raise Fault(f"{name}: `{here}` is in {file} {text.count(here)} times, not once")
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, DETAIL))
        with open(os.path.join(folder, DETAIL, file), "w") as write:
            write.write(text.replace(here, planted) if here else text)
        source, ptx = (os.path.join(folder, name) for name in ("kernel.cu", "kernel.ptx"))
        with open(source, "w") as write:
            write.write("#include \"polyrope/cuda.cuh\"\nPOLYROPE_BEGIN\nnamespace cuda::detail {\n"
                        f"template __global__ void turn_kernel<{kernel}>(const POLYROPE_GRID_CONSTANT rotate_task);\n"
                        "}\nPOLYROPE_END\n")
        # The folder of the planted fault is looked at first.
        compiler, *flags = arguments.compile
        done = subprocess.run([compiler, f"-I{folder}", *flags, "-o", ptx, source], capture_output=True, text=True)
        if done.returncode:
            raise Fault(f"{name}: it does not compile\n{done.stdout}{done.stderr}")
        kernel = f"turn_kernel<{kernel}>"
        if read_ptx(ptx, arguments.headers) != {kernel}:
            raise Fault(f"{name}: the compiler made something else than {kernel}")
        return complaints_of_file(ptx, arguments.headers) + run_kernel(ptx, kernel)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", required=True)
    parser.add_argument("--headers", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("compile", nargs="+")
    arguments = parser.parse_args()
    began = time.monotonic()
    read_cases(arguments.cases)
    try:
        with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
            results = pool.starmap(found_in, [(*planted, arguments) for planted in PLANTED], chunksize=1)
    except Fault as fault:
        sys.exit(str(fault))
    failed = False
    for (name, *_), found in zip(PLANTED, results):
        right = bool(found) == (name != "nothing")
        failed = failed or not right
        print(f"{name}: {'' if right else 'WRONG: '}{found[0] if found else 'nothing is found'}")
    print(f"{len(PLANTED) - 1} faults planted, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
