"""Memory of the device: buffers at fixed addresses with room between them, every access checked and kept."""

from bisect import bisect_right

from faults import Fault


class Access:
    """One access of a thread. `stamp` says where in the order of things it happened; strong ones never race each other."""

    __slots__ = ("at", "size", "stamp", "writes", "strong", "text")

    def __init__(self, at, size, stamp, writes, strong, text):
        self.at, self.size, self.stamp, self.writes, self.strong, self.text = at, size, stamp, writes, strong, text


class Buffer:
    """Bytes at an address; a byte that nothing wrote may not be read. `late`: the launch before may still write it."""

    def __init__(self, name, base, data, initialised, late):
        self.name, self.base, self.data, self.late = name, base, bytearray(data), late
        self.known = bytearray([1 if initialised else 0]) * len(self.data)
        self.accesses = []
        self.loaded = self.stored = 0  # bytes


class Memory:
    GAP = 4096

    def __init__(self, first=0x7F0000000000):
        self.buffers, self.bases, self.next = [], [], first

    def add(self, name, data, align=256, initialised=True, late=True):
        return self.place(name, (self.next + align - 1) // align * align, data, initialised, late)

    def place(self, name, base, data, initialised, late=False):
        self.buffers.append(Buffer(name, base, data, initialised, late))
        self.bases.append(base)
        self.next = base + len(data) + self.GAP
        return self.buffers[-1]

    def _find(self, address, size, what):
        if not self.buffers:
            raise Fault(f"{what} of {size} bytes out of bounds: there is no memory")
        number = bisect_right(self.bases, address) - 1
        buffer = self.buffers[max(0, number)]
        at = address - buffer.base
        if at < 0 or at + size > len(buffer.data):
            raise Fault(f"{what} of {size} bytes out of bounds at {buffer.name}{at:+}, which has {len(buffer.data)}")
        if address % size:
            raise Fault(f"misaligned {what} of {size} bytes at {buffer.name}+{at}")
        return buffer, at

    def load(self, address, size, thread, text, strong=False):
        buffer, at = self._find(address, size, "load")
        if buffer.late and not thread.waited:
            raise Fault(f"{buffer.name} is read before griddepcontrol.wait")
        unknown = buffer.known.find(0, at, at + size)
        if unknown >= 0:
            raise Fault(f"read of {buffer.name}+{unknown}, which nothing has written")
        buffer.accesses.append(Access(at, size, thread.stamp, False, strong, text))
        buffer.loaded += size
        return int.from_bytes(buffer.data[at:at + size], "little")

    def store(self, address, size, value, thread, text, strong=False):
        buffer, at = self._find(address, size, "store")
        if buffer.late and not thread.waited:
            raise Fault(f"{buffer.name} is written before griddepcontrol.wait")
        buffer.accesses.append(Access(at, size, thread.stamp, True, strong, text))
        buffer.known[at:at + size] = b"\1" * size
        buffer.stored += size
        buffer.data[at:at + size] = value.to_bytes(size, "little")
