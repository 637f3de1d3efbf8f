#!/usr/bin/env python3
"""Writes reference_positions.json: where every token of conversations.json sits, and the 16 tokens decoded after it.

An implementation of its own, with Python's standard library only, that shares nothing with the headers. It walks a whole
conversation once, from its token ids, as these functions do:

    qwen3_vl     get_rope_index of Qwen3VLModel, huggingface/transformers v4.57.6 (753d611): a video is one single-frame grid
                 per frame, and the timestamps between them are text
    qwen2_5_vl   get_mrope_input_positions of vllm-project/vllm (May 2026): a video is one grid, frame a stands
                 floor(a * seconds per grid * tokens per second) behind the first; after a medium the walk goes on one past
                 its largest coordinate, as get_rope_index of transformers v4.57.6 does too

    make_reference.py                       writes the file beside this script
    make_reference.py --check tests/golden  compares the walk with the stored output of those functions
"""

import json
import math
import pathlib
import struct
import sys
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
DECODED = 16


def walk(ids, image_token, video_token, images, videos, merge, frame_times):
    """Positions (t, h, w) of `ids`. `videos` are grids that each take one run; frame_times[v] are the times of its frames."""
    positions, start, n = [], 0, 0
    left = {image_token: [(grid, [0]) for grid in images], video_token: list(zip(videos, frame_times))}
    while n < len(ids):
        if ids[n] not in left:
            positions.append((start, start, start))
            start, n = start + 1, n + 1
            continue
        (frames, rows, columns), times = left[ids[n]].pop(0)
        assert len(times) == frames
        block = [
            (start + times[f], start + r, start + c)
            for f in range(frames)
            for r in range(rows // merge)
            for c in range(columns // merge)
        ]
        assert ids[n : n + len(block)] == [ids[n]] * len(block), "the placeholders are fewer than the grid needs"
        assert n + len(block) == len(ids) or ids[n + len(block)] != ids[n], "the placeholders are more than the grid needs"
        positions += block
        start, n = 1 + max(max(p) for p in block), n + len(block)
    assert not left[image_token] and not left[video_token], "a grid is left over"
    return positions


def frame_by_frame(videos):
    """Qwen3-VL: every frame is a grid of its own, at time 0 behind its start."""
    single = [[1, rows, columns] for frames, rows, columns in videos for _ in range(frames)]
    return single, [[0]] * len(single)


def timed(videos, seconds, tokens_per_second):
    """Qwen2.5-VL: exact times."""
    return videos, [[math.floor(a * (s * tokens_per_second)) for a in range(v[0])] for v, s in zip(videos, seconds)]


def runs_of(positions):
    """[count, t, h, w, step of t, of h, of w]: each run as long as the steps stay the same."""
    runs, n = [], 0
    while n < len(positions):
        first, count = positions[n], 1
        step = (0, 0, 0)
        if n + 1 < len(positions):
            step = tuple(b - a for a, b in zip(first, positions[n + 1]))
            while n + count < len(positions) and positions[n + count] == tuple(a + count * s for a, s in zip(first, step)):
                count += 1
        runs.append([count, *first, *step])
        n += count
    return runs


def conversation(name, config, chat):
    text = config.get("text_config", config)
    image, video, merge = config["image_token_id"], config["video_token_id"], config["vision_config"]["spatial_merge_size"]
    ids = [i for part in ("prompt", "answer", "next_turn") for m in chat[part] for i in m["ids"] * m.get("repeat", 1)]
    if name.startswith("qwen3_vl"):
        videos, times = frame_by_frame(chat["videos"])
    else:
        rate = config["vision_config"]["tokens_per_second"]
        videos, times = timed(chat["videos"], [Fraction(*s) for s in chat["seconds_per_grid"]], rate)
    positions = walk(ids, image, video, chat["images"], videos, merge, times)
    start = 1 + max(max(p) for p in positions)
    positions += [(start + g,) * 3 for g in range(DECODED)]
    return {"tokens": len(ids), "decoded": DECODED, "position_delta": start - len(ids), "runs": runs_of(positions)}


def write():
    chats = json.loads((HERE / "conversations.json").read_text())
    lines = [
        "{",
        '  "about": "Made by make_reference.py, which names the functions it follows. runs: [count, t, h, w, step of t, of h, '
        'of w] for all tokens of prompt, answer and next_turn and the decoded ones behind them.",',
    ]
    names = [name for name in chats if name != "about"]
    for name in names:
        made = conversation(name, json.loads((HERE / f"{name}.config.json").read_text()), chats[name])
        runs, rows = [json.dumps(r) for r in made.pop("runs")], []
        for i in range(0, len(runs), 4):
            rows.append("      " + ", ".join(runs[i : i + 4]))
        head = ", ".join(f'"{key}": {value}' for key, value in made.items())
        lines += [f'  "{name}": {{', f"    {head},", '    "runs": [', ",\n".join(rows), "    ]", "  }" + ("," if name != names[-1] else "")]
    (HERE / "reference_positions.json").write_text("\n".join(lines) + "\n}\n")


def check(golden):
    """Compares with the output of the functions themselves."""
    for model, label in (("qwen3_vl", "hf-4.57.6"), ("qwen2_5_vl", "vllm-2026-05")):
        file = json.loads((pathlib.Path(golden) / "models" / f"{model}.json").read_text())
        special, merge = file["special_tokens"], file["config"]["spatial_merge_size"]
        cases = tokens = 0
        for case in file["position_cases"]:
            wanted = [e["value"] for e in case["expected"]["position_ids"] if label in e["refs"]]
            seconds = case.get("second_per_grid_ts")
            if not wanted:
                continue
            images, videos = list(case["image_grid_thw"] or []), list(case["video_grid_thw"] or [])
            if model == "qwen3_vl":
                videos, times = frame_by_frame(videos)
            else:
                # vLLM's own arithmetic: the seconds rounded to float32, the product in float64.
                as_float32 = [struct.unpack("f", struct.pack("f", s))[0] for s in seconds or [1.0] * len(videos)]
                videos, times = timed(videos, as_float32, float(file["config"]["tokens_per_second"]))
            for row, ids in enumerate(case["input_ids"]):
                mask = case["attention_mask"][row] if case["attention_mask"] else [1] * len(ids)
                real = [n for n in range(len(ids)) if mask[n]]
                kept = [ids[n] for n in real]

                def runs(token):
                    return sum(1 for n, i in enumerate(kept) if i == token and (n == 0 or kept[n - 1] != token))

                mine = [images.pop(0) for _ in range(runs(special["image"]))]
                taken = runs(special["video"])
                got = walk(kept, special["image"], special["video"], mine, videos[:taken], merge, times[:taken])
                videos, times = videos[taken:], times[taken:]
                assert [tuple(wanted[0][a][row][n] for a in range(3)) for n in real] == got, (model, case["name"])
                tokens += len(real)
            cases += 1
        print(f"{model}: {cases} cases of {label}, {tokens} tokens, all equal")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(sys.argv[2])
    elif len(sys.argv) == 1:
        write()
    else:
        sys.exit(__doc__)
