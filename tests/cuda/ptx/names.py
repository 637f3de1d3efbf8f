"""Names of kernels as the sources write them, from those that the compilers give."""

import re
import subprocess
from pathlib import Path


def enumerations(headers):
    """Every plain `enum class` under a folder: its name -> the names of its values, counted from zero."""
    found = {}
    for path in sorted(Path(headers).rglob("*.hpp")):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for name, values in re.findall(r"enum class (\w+)[^{;]*\{([\w\s,]*)\}", text):
            found[name] = [value.strip() for value in values.split(",") if value.strip()]
    return found


def readable_names(mangled, headers):
    """mangled name -> `kernel<T, order::value, ...>`, or `kernel` where it has no arguments."""
    values = enumerations(headers)
    plain = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    names = {}
    for name, text in zip(mangled, plain.splitlines()):
        text = re.sub(r"\w+::(?=[\w:]*\b)", "", re.sub(r"\(anonymous namespace\)::", "", text))
        text = re.sub(r"\((\w+)\)(\d+)", lambda m: f"{m[1]}::{values[m[1]][int(m[2])]}" if m[1] in values else m[0], text)
        match = re.match(r"(?:void )?(\w+)(<.*>)?(?:\(.*\))?$", text)
        names[name] = match.group(1) + (match.group(2) or "") if match else text
    return names


def arguments_of(name):
    """`kernel<a, b>` -> [kernel, a, b]."""
    kernel, _, rest = name.partition("<")
    return [kernel] + [a.strip() for a in rest.rstrip(">").split(",") if a.strip()]
