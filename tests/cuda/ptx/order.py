"""What happened before what: barriers, and fences with the accesses that they publish. All else may happen at once."""


class Order:
    """Every thread has an epoch, which ends where it meets others; `seen` says up to which epoch it knows each thread.

    An access carries a stamp: its thread, its epoch and what the thread had seen.
    """

    def __init__(self):
        self.stamps = []
        self.published = {}  # address -> what a thread that reads it and fences then knows

    def begin(self, thread):
        thread.epoch, thread.seen, thread.released, thread.heard = 0, {}, {}, {}
        self._advance(thread, {})

    def _advance(self, thread, seen):
        thread.seen = seen
        thread.epoch += 1
        thread.stamp = len(self.stamps)
        self.stamps.append((thread, thread.epoch, seen))

    def join(self, threads):
        """All of them have met: what each did before comes before what any does after."""
        seen = {}
        for thread in threads:
            seen = _merged(seen, thread.seen)
        for thread in threads:
            seen[thread.number] = thread.epoch
        for thread in threads:
            self._advance(thread, seen)

    def fence(self, thread):
        """A fence of the device's scope. Those of a block alone order nothing here."""
        seen = _merged(thread.seen, thread.heard)
        thread.released = {**seen, thread.number: thread.epoch}
        self._advance(thread, seen)

    def publish(self, thread, address, keeps):
        """A strong store; `keeps`: a read-modify-write, which hands on what was published there."""
        self.published[address] = _merged(self.published.get(address, {}) if keeps else {}, thread.released)

    def hear(self, thread, address):
        """A strong load."""
        thread.heard = _merged(thread.heard, self.published.get(address, {}))

    def is_before(self, first, second):
        thread, epoch, _ = self.stamps[first]
        later, _, seen = self.stamps[second]
        return thread is later or seen.get(thread.number, 0) >= epoch

    def races(self, buffer):
        """Pairs of accesses to the same bytes, one of them a store, that nothing orders."""
        if not any(access.writes for access in buffer.accesses):
            return []
        grain = min(access.size for access in buffer.accesses)
        writers, readers, found = {}, {}, {}
        for access in buffer.accesses:
            for cell in range(access.at // grain, (access.at + access.size) // grain):
                earlier = [writers[cell]] if cell in writers else []
                if access.writes:
                    earlier += readers.pop(cell, {}).values()
                    writers[cell] = access
                else:
                    readers.setdefault(cell, {})[access.stamp] = access
                for other in earlier:
                    if not (other.strong and access.strong) and not self.is_before(other.stamp, access.stamp):
                        found.setdefault((cell, other.stamp, access.stamp), self._told(buffer, cell * grain, other, access))
        return list(found.values())

    def _told(self, buffer, at, first, second):
        def who(access):
            return f"`{access.text}` of {self.stamps[access.stamp][0]}"
        return f"{buffer.name}+{at}: {who(first)} and {who(second)} may happen at once"


def _merged(a, b):
    if not b:
        return dict(a)
    merged = dict(a)
    for number, epoch in b.items():
        if merged.get(number, 0) < epoch:
            merged[number] = epoch
    return merged
