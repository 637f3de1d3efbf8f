"""Global memory of the device: buffers at fixed addresses with room between them, every byte watched."""


class Fault(Exception):
    """An access that the device would not forgive, or would in silence."""


class Buffer:
    """Bytes at an address; a byte that nothing wrote may not be read."""

    def __init__(self, name, base, data, initialised):
        self.name, self.base, self.data = name, base, bytearray(data)
        self.known = bytearray([1 if initialised else 0]) * len(self.data)
        self.writer, self.reader = {}, {}  # byte -> thread, in this launch; -1: several readers
        self.loaded = self.stored = 0  # bytes


class Memory:
    GAP = 4096

    def __init__(self, first=0x7F0000000000):
        self.buffers, self.next, self.races = [], first, []

    def add(self, name, data, align=256, initialised=True):
        base = (self.next + align - 1) // align * align
        self.buffers.append(Buffer(name, base, data, initialised))
        self.next = base + len(data) + self.GAP
        return self.buffers[-1]

    def begin_launch(self):
        for buffer in self.buffers:
            buffer.writer, buffer.reader = {}, {}

    def _find(self, address, size, what):
        for buffer in self.buffers:
            at = address - buffer.base
            if 0 <= at < len(buffer.data):
                if at + size > len(buffer.data):
                    break
                if address % size:
                    raise Fault(f"misaligned {what} of {size} bytes at {buffer.name}+{at}")
                return buffer, at
        raise Fault(f"{what} of {size} bytes out of bounds at {address:#x}")

    def load(self, address, size, thread):
        buffer, at = self._find(address, size, "load")
        for i in range(at, at + size):
            if not buffer.known[i]:
                raise Fault(f"read of {buffer.name}+{i}, which nothing has written")
            writer = buffer.writer.get(i)
            if writer is not None and writer != thread:
                self.races.append((buffer.name, i, writer, thread, "read after write"))
            if buffer.reader.setdefault(i, thread) != thread:
                buffer.reader[i] = -1
        buffer.loaded += size
        return int.from_bytes(buffer.data[at:at + size], "little")

    def store(self, address, size, value, thread):
        buffer, at = self._find(address, size, "store")
        for i in range(at, at + size):
            if buffer.writer.setdefault(i, thread) != thread:
                self.races.append((buffer.name, i, buffer.writer[i], thread, "write after write"))
            if buffer.reader.get(i, thread) != thread:
                self.races.append((buffer.name, i, buffer.reader[i], thread, "write after read"))
            buffer.known[i] = 1
        buffer.stored += size
        buffer.data[at:at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
