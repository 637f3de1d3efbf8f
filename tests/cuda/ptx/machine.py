"""Runs an entry: threads one after another up to where they meet, blocks one after another; what they did is ordered by
their meetings and fences alone.

Warps hold 32 threads of a block, counted along x, then y, then z.
"""

from faults import Fault
from formats import MASK
from meetings import is_meeting, meet_at_barriers, meet_in_warp
from memory import Memory
from opcodes import step_of, truth
from order import Order

WARP = 32
MOST_JUMPS = 100000  # of a thread


class Program:
    """An entry ready to run: `steps` of plain instructions, None where the machine itself acts. Approximate operations
    are refused unless `approximate`; unless `lenient`, so are local memory and reads of registers that nothing has
    set. A compiler may compute with such a register and drop the result: `lenient`, it holds garbage."""

    def __init__(self, entry, approximate=False, lenient=False):
        if entry.local and not lenient:
            raise Fault(f"{entry.name} uses local memory: {entry.local[0][2]} bytes")
        self.registers = Garbage if lenient else dict
        self.entry, self.code = entry, entry.code
        self.steps = [None if i.op in ("bra", "ret", "exit", "trap") or is_meeting(i) else step_of(i, approximate)
                      for i in entry.code]
        self.waits_for_predecessor = entry.waits_for_predecessor()


class Garbage(dict):
    """Registers that hold something from the start."""

    def __missing__(self, name):
        if name[0] != "%":
            raise KeyError(name)
        return 0x9E3779B97F4A7C15


class Parameters:
    """What the launch passes, at address 0 of its own space. Read only."""

    def __init__(self, data):
        self.data = data

    def load(self, at, size, thread, text, strong=False):
        if at + size > len(self.data):
            raise Fault(f"load of {size} bytes out of bounds at parameter byte {at} of {len(self.data)}")
        if at % size:
            raise Fault(f"misaligned load of {size} bytes at parameter byte {at}")
        return int.from_bytes(self.data[at:at + size], "little")

    def store(self, at, size, value, thread, text, strong=False):
        raise Fault("a parameter is written")


class Launch:
    """`grid` and `block` are (x, y, z). After run(), `races` holds a sentence for each pair of accesses that nothing
    orders, and `visits` how often threads came to each instruction."""

    def __init__(self, program, memory, parameters, grid, block):
        if len(parameters) != program.entry.parameter_bytes:
            raise Fault(f"{len(parameters)} bytes of parameters, the entry takes {program.entry.parameter_bytes}")
        self.program, self.memory, self.parameters = program, memory, Parameters(parameters)
        self.grid, self.block, self.order, self.races, self.threads = grid, block, Order(), [], 0
        self.visits = [0] * len(program.code)

    def run(self):
        for buffer in self.memory.buffers:
            buffer.accesses.clear()
        for z in range(self.grid[2]):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]):
                    Block(self, (x, y, z)).run()
        self.find_races(self.memory)

    def find_races(self, memory):
        for buffer in memory.buffers:
            self.races += self.order.races(buffer)


class Block:
    def __init__(self, launch, at):
        self.launch, self.shared = launch, Memory()
        for name, address, size in launch.program.entry.shared:
            self.shared.place(name, address, bytes(size), False)
        width, height, depth = launch.block
        self.threads = [Thread(self, at, (x, y, z)) for z in range(depth) for y in range(height) for x in range(width)]

    def run(self):
        ready = self.threads
        while ready:
            for thread in ready:
                thread.run()
            ready = self._met()
        self.launch.find_races(self.shared)

    def _met(self):
        """The threads that may go on."""
        here = [t for t in self.threads if not t.left]
        warps = {}
        for t in here:
            warps.setdefault(t.number_in_block // WARP, {})[t.number_in_block % WARP] = t
        met = [t for lanes in warps.values() for t in meet_in_warp(lanes, self.launch.order)]
        met = met or meet_at_barriers(here, warps.values(), self.launch.order)
        if here and not met:
            raise Fault(f"{here[0]} waits for ever at: {here[0].waits_at.text}")
        return met


class Thread:
    """`waits_at`: the instruction at which it meets others. `stamp` and what else Order keeps are set by it."""

    def __init__(self, block, block_at, thread_at):
        launch = block.launch
        self.block, self.launch, self.at = block, launch, (block_at, thread_at)
        launch.threads += 1
        self.local = Memory()
        for name, address, size in launch.program.entry.local:
            self.local.place(name, address, bytes(size), False)
        self.number = launch.threads
        self.pc, self.jumps, self.left, self.waits_at = 0, 0, False, None
        self.waited = not launch.program.waits_for_predecessor
        x, y, z = thread_at
        self.number_in_block = x + launch.block[0] * (y + launch.block[1] * z)
        lane = self.number_in_block % WARP
        registers = self.registers = launch.program.registers(launch.program.entry.constants)
        for name, values in (("%ctaid", block_at), ("%tid", thread_at), ("%nctaid", launch.grid),
                             ("%ntid", launch.block)):
            for axis, value in zip("xyz", values):
                registers[f"{name}.{axis}"] = value
        registers.update({"WARP_SZ": WARP, "%laneid": lane, "%lanemask_eq": 1 << lane, "%lanemask_lt": (1 << lane) - 1,
                          "%lanemask_le": (2 << lane) - 1, "%lanemask_gt": MASK[32] & -2 << lane,
                          "%lanemask_ge": MASK[32] & -1 << lane})
        launch.order.begin(self)

    def __str__(self):
        return f"block {self.at[0]}, thread {self.at[1]}"

    def run(self):
        """Goes on until it meets others or leaves."""
        code, steps, labels = self.launch.program.code, self.launch.program.steps, self.launch.program.entry.labels
        registers, pc, self.waits_at = self.registers, self.pc, None
        visits = self.launch.visits
        while pc < len(code):
            i, step = code[pc], steps[pc]
            visits[pc] += 1
            pc += 1
            try:
                if i.guard is not None and bool(registers[i.guard]) == i.skipped_by:
                    continue
                if step is not None:
                    step(self)
                elif i.op == "bra":
                    self.jumps += 1
                    if self.jumps > MOST_JUMPS:
                        raise Fault(f"no end after {MOST_JUMPS} jumps")
                    pc = labels[i.operands[0]]
                elif i.op == "trap":
                    raise Fault("a trap")
                elif i.op in ("ret", "exit"):
                    break
                else:
                    self.pc, self.waits_at = pc, i
                    return
            except Fault as fault:
                raise Fault(f"{self}: {fault} in: {i.text}") from fault
            except KeyError as missing:
                raise Fault(f"{self}: {missing.args[0]} was never set in: {i.text}") from missing
        self.left = True

    def value(self, name):
        if name not in self.registers:
            raise Fault(f"{self}: {name} was never set in: {self.waits_at.text}")
        return self.registers[name]

    def is_true(self, name):
        self.value(name.lstrip("!"))
        return truth(self.registers, name)
