"""Where threads meet: shuffles, votes and barriers of a warp, and barriers of a block."""

from faults import Fault
from formats import MASK


def is_meeting(i):
    return i.op in ("shfl", "vote", "activemask", "bar", "barrier")


def _is_of_warp(i):
    return i.op in ("shfl", "vote") or "warp" in i.modifiers


def meet_in_warp(lanes, order):
    """`lanes`: lane -> thread of those that have not left. Gives the threads that may go on."""
    groups = {}
    for lane, t in lanes.items():
        i = t.waits_at
        if i.op == "activemask":
            groups.setdefault((id(i),), []).append(lane)
        elif _is_of_warp(i):
            mask = t.value(i.operands[-1]) & MASK[32]
            if not mask >> lane & 1:
                raise Fault(f"{t}: lane {lane} is not in its own mask {mask:#x} in: {i.text}")
            groups.setdefault((i.op, *i.modifiers, mask), []).append(lane)
    met = []
    for key, members in groups.items():
        if lanes[members[0]].waits_at.op == "activemask":
            continue
        if members == [lane for lane in lanes if key[-1] >> lane & 1]:
            met += _perform({lane: lanes[lane] for lane in members}, order)
    if met:
        return met
    # Lanes that look around see those that stand beside them when nobody else can move.
    for key, members in groups.items():
        if lanes[members[0]].waits_at.op == "activemask":
            seen = sum(1 << lane for lane in members)
            for lane in members:
                lanes[lane].registers[lanes[lane].waits_at.operands[0]] = seen
            return [lanes[lane] for lane in members]
    return []


def _perform(lanes, order):
    op = next(iter(lanes.values())).waits_at.op
    if op == "shfl":
        _shuffle(lanes)
    elif op == "vote":
        _vote(lanes)
    else:
        order.join(list(lanes.values()))
    return list(lanes.values())


def _shuffle(lanes):
    sent = {lane: t.value(t.waits_at.operands[1]) & MASK[32] for lane, t in lanes.items()}
    for lane, t in lanes.items():
        i = t.waits_at
        mode = i.modifiers[1]
        by, bounds = t.value(i.operands[2]) & 31, t.value(i.operands[3])
        clamp, segment = bounds & 31, bounds >> 8 & 31
        first, last = lane & segment, lane & segment | clamp & ~segment & 31
        source = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": first | by & ~segment & 31}[mode]
        inside = source >= last if mode == "up" else source <= last
        if not inside:
            source = lane
        if source not in sent:
            raise Fault(f"{t}: lane {lane} reads lane {source}, which is not there, in: {i.text}")
        to, _, p = i.operands[0].partition("|")
        t.registers[to] = sent[source]
        if p:
            t.registers[p] = int(inside)


def _vote(lanes):
    answers = {lane: t.is_true(t.waits_at.operands[1]) for lane, t in lanes.items()}
    for t in lanes.values():
        how = t.waits_at.modifiers[1]
        t.registers[t.waits_at.operands[0]] = {
            "ballot": lambda: sum(1 << lane for lane, yes in answers.items() if yes),
            "any": lambda: int(any(answers.values())),
            "all": lambda: int(all(answers.values())),
            "uni": lambda: int(len(set(answers.values())) == 1),
        }[how]()


def meet_at_barriers(threads, warps, order):
    """Barriers of the block: all threads that have not left, or as many as the barrier counts."""
    groups = {}
    for t in threads:
        i = t.waits_at
        if i.op in ("bar", "barrier") and not _is_of_warp(i):
            if "sync" not in i.modifiers:
                raise Fault(f"a barrier that is not known: {i.text}")
            groups.setdefault(tuple(t.value(name) for name in i.operands), []).append(t)
    for (_, *count), members in groups.items():
        if len(members) != (count[0] if count else len(threads)):
            continue
        # bar.sync and .aligned: a warp meets at one instruction.
        for lanes in warps:
            places = {id(t.waits_at) for t in lanes.values() if t in members}
            if len(places) > 1 and any(i.op == "bar" or "aligned" in i.modifiers for i in (t.waits_at for t in members)):
                raise Fault(f"{members[0]}: a warp is at several barriers in: {members[0].waits_at.text}")
        order.join(members)
        return members
    return []
