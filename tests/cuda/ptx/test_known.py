"""The interpreter itself, on kernels whose answers are known and on kernels that are wrong on purpose.

    test_known.py PTX [PTX ...]     what nvcc makes of known.cu
"""

import math
import re
import struct
import sys
import unittest

from faults import Fault
from machine import Launch, Program
from memory import Memory
from program import bodies, entry_of

TEXTS = {}


def packed(kind, numbers):
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


def unpacked(kind, data):
    return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))


def program(text, name, approximate=False):
    return Program(entry_of(name, *bodies(text)[name]), approximate)


def launched(text, name, buffers, block, grid=(1, 1, 1), numbers=(), approximate=False):
    """`buffers`: bytes, or the size of an output. Gives the launch and the buffers."""
    memory = Memory()
    made = [memory.add(f"buffer {k}", bytes(b) if isinstance(b, int) else b, initialised=not isinstance(b, int))
            for k, b in enumerate(buffers)]
    parameters = b"".join(b.base.to_bytes(8, "little") for b in made) + packed("i", numbers)
    launch = Launch(program(text, name, approximate), memory, parameters, grid, block)
    launch.run()
    return launch, made


class Known(unittest.TestCase):
    def run_each(self, name, buffers, block, **how):
        """In every target: the last buffer's bytes, nothing raced."""
        found = []
        for text in TEXTS.values():
            launch, made = launched(text, name, buffers, block, **how)
            self.assertEqual(launch.races, [])
            found.append(bytes(made[-1].data))
        return found

    def fails(self, sentence, name, buffers, block, change=None, **how):
        """In every target, by a fault or a race of this sentence. `change`: (a pattern, what stands for it), of the PTX."""
        for text in TEXTS.values():
            if change:
                text, changes = re.subn(change[0], change[1], text)
                self.assertGreater(changes, 0, f"{change[0]} is not in the text")
            with self.assertRaisesRegex(Fault, sentence):
                launch, _ = launched(text, name, buffers, block, **how)
                if launch.races:
                    raise Fault(launch.races[0])

    def test_shuffles_of_all_modes_in_a_block_of_three_dimensions(self):
        for out in self.run_each("shuffles", [64 * 20], (4, 8, 2)):
            numbers = unpacked("i", out)
            for at in range(64):
                lane, warp = at % 32, at - at % 32
                up = lane - 3 if lane >= 3 else lane
                down = lane + 2 if lane % 8 < 6 else lane
                self.assertEqual(numbers[5 * at:5 * at + 5],
                                 [10 * (warp + k) for k in (lane ^ 5, up, down, lane - lane % 16 + 7, lane ^ 8)])

    def test_a_butterfly_adds_up_four_lanes(self):
        values = [float(3 * k + 1) for k in range(32)]
        for out in self.run_each("butterfly", [packed("f", values), 128], (32, 1, 1)):
            self.assertEqual(unpacked("f", out), [sum(values[k - k % 4:k - k % 4 + 4]) for k in range(32)])

    def test_a_dropped_shuffle_changes_the_sum(self):
        values = [float(3 * k + 1) for k in range(32)]
        for text in TEXTS.values():
            dropped, found = re.subn(r"shfl\.sync\.bfly\.b32\s+(%r\d+)\|%p\d+, (%r\d+)", r"mov.b32 \1, \2; //", text)
            self.assertGreater(found, 0)
            _, made = launched(dropped, "butterfly", [packed("f", values), 128], (32, 1, 1))
            self.assertNotEqual(unpacked("f", made[-1].data)[0], sum(values[:4]))

    def test_lanes_that_are_not_there(self):
        self.fails("lane 30 reads lane 31, which is not there", "reads_a_lane_that_left", [128], (32, 1, 1))
        self.fails("lane 0 reads lane 16, which is not there", "reads_outside_its_mask", [128], (32, 1, 1))
        self.fails("lane 0 reads lane 5, which is not there", "shuffles", [64 * 20], (4, 1, 1))

    def test_a_lane_outside_its_own_mask(self):
        self.fails("lane 0 is not in its own mask", "butterfly", [packed("f", [1.0] * 32), 128], (32, 1, 1),
                   change=(r"(shfl\.sync\.bfly\.b32.*), (?:-1|%r\d+);", r"\1, 2;"))

    def test_votes(self):
        for out in self.run_each("votes", [64 * 20], (64, 1, 1)):
            numbers = unpacked("I", out)
            for at in range(64):
                warp = at - at % 32
                ballot = sum(1 << k for k in range(32) if (warp + k) % 3 == 0)
                even = sum(1 << k for k in range(5, 32) if k % 2 == 0)
                self.assertEqual(numbers[5 * at:5 * at + 3], [ballot, int(warp == 32), int(warp == 0)])
                self.assertEqual(numbers[5 * at + 3:5 * at + 5],
                                 [0x1F, 0] if at % 32 < 5 else [0, even])

    def test_shared_memory_between_barriers(self):
        values = list(range(100, 228))
        for out in self.run_each("reverses", [packed("i", values), 512], (64, 1, 1)):
            self.assertEqual(unpacked("i", out), values[63::-1] + values[:63:-1])

    def test_a_dropped_barrier(self):
        self.fails("room.*, which nothing has written", "reverses", [packed("i", list(range(128))), 512], (64, 1, 1),
                   change=(r"(st\.shared[^;]*;\s*)bar\.sync\s+0;", r"\1"))
        self.fails("room.* may happen at once", "reverses", [packed("i", list(range(128))), 512], (64, 1, 1),
                   change=(r"(st\.global[^;]*;\s*)bar\.sync\s+0;", r"\1"))

    def test_a_barrier_that_some_never_reach(self):
        self.fails("waits for ever", "reverses", [packed("i", list(range(128))), 512], (64, 1, 1),
                   change=(r"bar\.sync\s+0;", "bar.sync 0, 96;"))

    def test_the_last_block_adds_up(self):
        for out in self.run_each("last_block_adds", [32, packed("I", [0]), 4], (2, 1, 1), grid=(4, 1, 1)):
            self.assertEqual(unpacked("i", out), [sum(b + t for b in range(4) for t in range(2))])

    def test_a_dropped_fence_is_a_race(self):
        fences = [m.end() for m in re.finditer(r"membar\.gl;", next(iter(TEXTS.values())))]
        self.assertEqual(len(fences), 2)
        for dropped in (r"membar\.gl;(?=(?s:.)*membar\.gl;)", r"(?s)(membar\.gl;.*)membar\.gl;"):
            self.fails("buffer 0.* may happen at once", "last_block_adds", [32, packed("I", [0]), 4], (2, 1, 1),
                       change=(dropped, r"\1" if "(?s)" in dropped else ""), grid=(4, 1, 1))

    def test_races_in_global_memory(self):
        self.fails("buffer 0.* may happen at once", "both_write", [16], (8, 1, 1))
        self.fails("buffer 0.* may happen at once", "moves_in_place", [packed("i", range(9))], (8, 1, 1))

    def test_out_of_bounds(self):
        inputs = packed("i", range(4))
        self.fails(r"load of 4 bytes out of bounds at buffer 0\+16", "copies", [inputs, 64], (1, 1, 1), numbers=[5])
        self.fails(r"store of 4 bytes out of bounds at buffer 1\+12", "copies", [inputs, 12], (1, 1, 1), numbers=[4])

    def test_misaligned(self):
        for text in TEXTS.values():
            memory = Memory()
            a, b = memory.add("from", bytes(64)), memory.add("to", bytes(64))
            addresses = b"".join(x.to_bytes(8, "little") for x in (a.base + 8, b.base))
            with self.assertRaisesRegex(Fault, r"misaligned load of 16 bytes at from\+8"):
                Launch(program(text, "copies_wide"), memory, addresses, (1, 1, 1), (1, 1, 1)).run()

    def test_a_read_of_what_nothing_has_written(self):
        self.fails("read of buffer 0.0, which nothing has written", "copies", [16, 16], (1, 1, 1), numbers=[1])
        self.fails("which nothing has written", "reverses", [packed("i", range(128)), 512], (64, 1, 1),
                   change=(r"st\.shared[^;]*;", ""))
        self.fails("was never set", "copies_wide", [bytes(16), 16], (1, 1, 1), change=(r"ld\.global\.v4[^;]*;", ""))

    def test_roots_and_quotients_round_once(self):
        inputs = [2.0, 3.0, 1e-40, 7.0, 5.0, 0.0, 1e30, 1e-30]
        single = lambda x: unpacked("f", packed("f", [x]))[0]
        for out in self.run_each("roots", [packed("f", inputs), 64], (4, 1, 1)):
            numbers = unpacked("f", out)
            for k, (a, b) in enumerate(zip(unpacked("f", packed("f", inputs))[::2], inputs[1::2])):
                b = single(b)
                right = [single(math.sqrt(a)), math.inf if b == 0 or a / b > 3.5e38 else single(a / b),
                         math.inf if b == 0 else single(1 / b)]
                self.assertEqual(numbers[4 * k:4 * k + 3], right)
            # .ftz takes the subnormal 1e-40 as zero.
            self.assertEqual(numbers[7], 0.0)
            self.assertEqual(numbers[3], single(2.0 * 3.0 + 2.0))

    def test_approximate_operations_are_refused(self):
        for text in TEXTS.values():
            with self.assertRaisesRegex(Fault, "approximate"):
                launched(text, "about_a_sine", [packed("f", [0.5]), 4], (1, 1, 1))
        for out in self.run_each("about_a_sine", [packed("f", [0.5]), 4], (1, 1, 1), approximate=True):
            self.assertAlmostEqual(unpacked("f", out)[0], math.sin(0.5), places=6)

    def test_narrow_types(self):
        inputs = [1.0, -2.0, 0.1, 500.0, 65520.0, 1e-3, -7e-8, math.inf]
        sixth = dict(zip(TEXTS, self.run_each("narrows", [packed("f", inputs), bytes(48)], (4, 1, 1))))
        for target, out in sixth.items():
            words = unpacked("H", out)
            for k, a in enumerate(inputs[::2]):
                half = 0x7C00 if a == 65520.0 else unpacked("H", packed("e", [a]))[0]
                self.assertEqual(words[6 * k], half)
                back = unpacked("e", packed("H", [half]))[0]
                self.assertEqual(words[6 * k + 1], unpacked("I", packed("f", [back]))[0] >> 16)
            if "75" in target:
                continue
            self.assertEqual([words[6 * k + 2] for k in range(4)], [0x3F80, 0x3DCD, 0x4780, 0xB396])
            self.assertEqual([words[6 * k + 3] for k in range(4)], [0xC038, 0x7E1D, 0x017E, 0x7E80])
            self.assertEqual(unpacked("e", packed("H", [words[6 * k + d] for k in range(4) for d in (4, 5)])),
                             [1.0, -2.0, 0.1015625, 448.0, 448.0, 2.0 ** -9, -0.0, 448.0])

    def test_reads_before_the_launch_before_has_ended(self):
        for target, text in TEXTS.items():
            _, made = launched(text, "waits", [packed("i", [7]), 4], (1, 1, 1), numbers=[0])
            self.assertEqual(unpacked("i", made[-1].data), [7])
            if "90" in target:
                with self.assertRaisesRegex(Fault, "buffer 0 is read before griddepcontrol.wait"):
                    launched(text, "waits", [packed("i", [7]), 4], (1, 1, 1), numbers=[1])

    def test_a_thread_that_never_ends(self):
        self.fails("no end after", "waits_for_another_block", [packed("i", [0]), 4], (1, 1, 1))

    def test_an_unknown_opcode_is_named(self):
        self.fails("the opcode cp is not known", "copies_wide", [bytes(16), 16], (1, 1, 1),
                   change=(r"ld\.global\.v4[^;]*;", "cp.async.ca.shared.global [%r1], [%rd1], 16;"))


def main():
    for path in sys.argv[1:]:
        with open(path) as file:
            TEXTS[path] = file.read()
    if not TEXTS:
        sys.exit("no PTX is given")
    unittest.main(argv=sys.argv[:1], verbosity=0)


if __name__ == "__main__":
    main()
