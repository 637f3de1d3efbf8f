"""The eager rotation of Qwen2-VL's and Qwen3-VL's model code in torch, beside the table kernel's times.

    python3 torch_peer.py [rotate_cpu.json]

32 query and 8 key heads of 128 channels, one thread. A model makes the cosines and sines once per forward pass and
turns queries and keys in each layer, so both sides are timed with them at hand:

    Qwen2-VL  cos, sin [3, 1, tokens, 128]; the axis of each section is chosen in every call
    Qwen3-VL  cos, sin [1, tokens, 128]; the axes were interleaved when they were made

The kernel's times come from the file that bench_rotate_cpu wrote: another process, so the clock may have moved between
them.
"""

import json
import os
import statistics
import sys
import time

QUERY_HEADS, KEY_HEADS, CHANNELS = 32, 8, 128
SIZES = (1, 16, 512, 4096)
ROUNDS = 21

# glibc would hand large temporaries back to the system and fault them in anew in every call; torch is measured without
# that.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": "4294967296",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
    "MALLOC_TOP_PAD_": "1073741824",
}

if any(name not in os.environ for name in MALLOC):
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **MALLOC})

try:
    import torch
except ImportError:
    print("peer torch: not installed, skipped")
    sys.exit(0)


def turn_halves(x):
    """(x, y) -> (-y, x), the two halves of a head."""
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


class Chunked:
    """Qwen2-VL: sections 16, 24, 24, one after the other."""

    name, theta, sections = "qwen2_vl", 1e6, (16, 24, 24)

    @staticmethod
    def axis(pair):
        return 0 if pair < 16 else 1 if pair < 40 else 2

    def rows(self, angles, dtype):
        doubled = torch.cat((angles, angles), dim=-1)
        return doubled.cos().to(dtype), doubled.sin().to(dtype)

    def choose(self, rows):
        parts = rows.split(self.sections * 2, dim=-1)
        return torch.cat([part[i % 3] for i, part in enumerate(parts)], dim=-1).unsqueeze(1)

    def apply(self, q, k, cos, sin):
        cos, sin = self.choose(cos), self.choose(sin)
        return q * cos + turn_halves(q) * sin, k * cos + turn_halves(k) * sin


class Interleaved:
    """Qwen3-VL: sections 24, 20, 20, the axes taking turns."""

    name, theta, sections = "qwen3_vl", 5e6, (24, 20, 20)

    @staticmethod
    def axis(pair):
        return pair % 3 if pair < 60 else 0

    def rows(self, angles, dtype):
        mixed = angles[0].clone()
        for a in (1, 2):
            mine = slice(a, 3 * self.sections[a], 3)
            mixed[..., mine] = angles[a][..., mine]
        doubled = torch.cat((mixed, mixed), dim=-1)
        return doubled.cos().to(dtype), doubled.sin().to(dtype)

    def apply(self, q, k, cos, sin):
        cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
        return q * cos + turn_halves(q) * sin, k * cos + turn_halves(k) * sin


def positions(tokens):
    """[3, tokens]: the first half is text, the second an image 32 cells wide."""
    n = torch.arange(tokens)
    half = tokens // 2
    place = (n - half).clamp(min=0)
    start = n.clamp(max=half)
    return torch.stack((start, start + place // 32, start + place % 32))


def angles_of(model, tokens, dtype):
    frequency = model.theta ** (-torch.arange(0, CHANNELS, 2, dtype=dtype) / CHANNELS)
    return positions(tokens)[:, None, :, None].to(dtype) * frequency


def heads(tokens, count, dtype):
    """[1, count, tokens, 128] over memory [tokens, count, 128], as a projection leaves it."""
    values = torch.randn(1, tokens, count, CHANNELS, generator=torch.Generator().manual_seed(count))
    return values.to(dtype).transpose(1, 2)


def check(model):
    """The eager form is the rotation of each pair by its axis: complex numbers in float64."""
    tokens = 48
    q, k = heads(tokens, QUERY_HEADS, torch.float32), heads(tokens, KEY_HEADS, torch.float32)
    got = model.apply(q, k, *model.rows(angles_of(model, tokens, torch.float32), torch.float32))
    angles = angles_of(model, tokens, torch.float64)
    axes = torch.tensor([model.axis(pair) for pair in range(CHANNELS // 2)])
    chosen = angles[:, 0].gather(0, axes.expand(1, tokens, -1))[0]
    turn = torch.polar(torch.ones_like(chosen), chosen)
    for before, after in zip((q, k), got):
        z = torch.complex(*before.double().chunk(2, dim=-1)) * turn
        most = (torch.cat((z.real, z.imag), dim=-1) - after.double()).abs().max().item()
        if not most < 5e-5:
            sys.exit(f"peer torch: {model.name} is {most:.1e} from the rotation in float64: its times say nothing")


def nanoseconds(model, tokens, dtype):
    """Median over rounds, per token, of the time this thread ran: a call is long enough to be interrupted."""
    q, k = heads(tokens, QUERY_HEADS, dtype), heads(tokens, KEY_HEADS, dtype)
    cos, sin = model.rows(angles_of(model, tokens, torch.float32), dtype)
    calls = max(1, 256 // tokens)
    rounds = []
    for _ in range(ROUNDS + 2):
        start = time.thread_time_ns()
        for _ in range(calls):
            model.apply(q, k, cos, sin)
        rounds.append((time.thread_time_ns() - start) / (calls * tokens))
    return statistics.median(rounds[2:])


def own_times(path):
    """{"rotate/f32/table/T:512": ns per token, ...}"""
    try:
        with open(path, encoding="utf-8") as file:
            cases = json.load(file)["benchmarks"]
        return {case["name"].split("/iterations:")[0]: case["own_ns"] for case in cases if "own_ns" in case}
    except (OSError, ValueError, KeyError) as error:
        print(f"peer torch: no times to compare with in {path} ({type(error).__name__})")
        return {}


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    own = own_times(sys.argv[1]) if len(sys.argv) > 1 else {}
    print(f"peer torch {torch.__version__}, eager, one thread; ours: rotate_cpu.json; ratio: times faster")
    print(f"{'case':34} {'ns per token':>12} {'ours':>9} {'ratio':>7}")
    for model in (Chunked(), Interleaved()):
        check(model)
        for type_name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
            for tokens in SIZES:
                peer = nanoseconds(model, tokens, dtype)
                ours = own.get(f"rotate/{type_name}/table/T:{tokens}")
                beside = f"{ours:9.1f} {peer / ours:7.1f}" if ours else f"{'-':>9} {'-':>7}"
                print(f"{f'peer/torch/{model.name}/{type_name}/T:{tokens}':34} {peer:12.1f} {beside}", flush=True)


if __name__ == "__main__":
    main()
