"""Runs every shipped kernel on the device, on the cases that the interpreter runs, and holds it against the host, bit by bit.

    run_on_device.py --cases FILE --headers FOLDER --ptx FILE [CUBIN ...]

A cubin that was made for the device (sm_90a.cubin for compute capability 9.0) is what runs; without one the driver
translates the PTX. Ends with 77 where there is no device.
"""

import argparse
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "ptx"))

from driver import Device, NoDevice, reason_to_fail
from addresses import with_addresses
from names import readable_names


def kernel_names(ptx, headers):
    """The name that shipped.inl gives a kernel -> its name in the module."""
    with open(ptx) as file:
        mangled = re.findall(r"\.entry (\w+)\(", file.read())
    return {name: symbol for symbol, name in readable_names(mangled, headers).items()}


def module_for(capability, ptx, cubins):
    for path in cubins:
        made_for = re.search(r"sm_(\d+)", os.path.basename(path))
        if made_for and int(made_for[1]) == capability:
            return path
    return ptx


def run(device, function, case):
    """How many bytes of the case's buffers differ from the host's."""
    buffers = []
    for b in case["buffers"]:
        before = with_addresses(bytes.fromhex(b["before"]), b, [known.value for known in buffers])
        buffers.append(device.upload(before))
    bases = [b.value for b in buffers]
    task = bytearray(with_addresses(bytes.fromhex(case["task"]), case, bases))
    device.launch(function, case["grid"], case["block"], task)
    wrong = 0
    for address, described in zip(buffers, case["buffers"]):
        right = with_addresses(bytes.fromhex(described["after"]), described, bases)
        wrong += sum(a != b for a, b in zip(device.download(address, len(right)), right))
        device.free(address)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", required=True)
    parser.add_argument("--headers", required=True)
    parser.add_argument("--ptx", required=True)
    parser.add_argument("cubins", nargs="*")
    arguments = parser.parse_args()
    names = kernel_names(arguments.ptx, arguments.headers)
    with open(arguments.cases) as file:
        cases = json.load(file)
    missing = sorted({case["kernel"] for case in cases} - set(names))
    if missing:
        print(f"{arguments.ptx}: the cases ask for kernels that it has not: {missing[:3]}")
        return 1
    try:
        device = Device()
    except NoDevice as reason:
        return reason_to_fail(reason)
    path = module_for(device.capability, arguments.ptx, arguments.cubins)
    module = device.load(path)
    bad = set()
    for case in cases:
        wrong = run(device, device.function(module, names[case["kernel"]]), case)
        if wrong:
            print(f"{case['kernel']}, {case['name']}: {wrong} bytes differ")
            bad.add(case["kernel"])
    kernels = {case["kernel"] for case in cases}
    print(f"cuda: {len(kernels)} instantiations, {len(kernels - bad)} bitwise equal on {device.name} from {os.path.basename(path)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
