#!/usr/bin/env bash
# The device check: correctness, then speed, of the CUDA backend on the GPU of this machine, in a few minutes.
#
#     benchmarks/cuda_device.sh [build folder]        (build/cuda_device by default)
#
#  1. builds for the device found (its compute capability, in machine code)
#  2. every shipped kernel on the interpreter's cases, and the calls of cuda.cuh against the CPU: the same bits
#  3. compute-sanitizer, memcheck and racecheck, where it is installed
#  4. the table of benchmarks/cuda_device.cpp, and its numbers in <build folder>/cuda_device.json
#
# Built beforehand (steps 1 without a device: CUDA_ARCHITECTURE=90a benchmarks/cuda_device.sh), the folder may be
# carried to the machine with the device. Ends with 77 where no device can be reached; with 1 there where
# POLYROPE_REQUIRE_GPU=1.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/cuda_device}

architecture=${CUDA_ARCHITECTURE:-}
if [ -z "$architecture" ] && command -v nvidia-smi > /dev/null; then
    architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
    [ "$architecture" = 90 ] && architecture=90a
fi
if [ -z "$architecture" ]; then
    status=77
    [ "${POLYROPE_REQUIRE_GPU:-}" = 1 ] && status=1
    echo "no device was reached: nvidia-smi is not installed, and CUDA_ARCHITECTURE names none to build for"
    exit $status
fi

programs="tests/cuda/device/test_cuda_device benchmarks/bench_cuda_device"
built=yes
for program in $programs; do [ -x "$build/$program" ] || built=no; done
if [ $built = no ]; then
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES="$architecture-real" \
        -DPOLYROPE_CUDA=ON -DPOLYROPE_BUILD_EXAMPLES=OFF
    cmake --build "$build" --target test_cuda_device bench_cuda_device cuda_files
fi

run() { echo "== $*"; "$@"; }
cd "$build/tests/cuda"
run python3 -B "$root/tests/cuda/device/run_on_device.py" --cases cases.json --headers "$root/include/polyrope" \
    --ptx compute_75.ptx sm_80.cubin sm_90a.cubin sm_100.cubin sm_120.cubin
run ./device/test_cuda_device
if command -v compute-sanitizer > /dev/null; then
    for tool in memcheck racecheck; do
        run compute-sanitizer --tool "$tool" --error-exitcode 1 ./device/test_cuda_device "*banks*,*norm*"
    done
else
    echo "== compute-sanitizer is not installed: memcheck and racecheck are skipped"
fi
cd "$build"
run ./benchmarks/bench_cuda_device --benchmark_out="$build/cuda_device.json" --benchmark_out_format=json
echo "numbers: $build/cuda_device.json"
