"""What a kernel of short blocks can read at most: Little's law for slots that are empty between two blocks.

A thread that waits for what it has asked for leaves the memory idle if too few others wait beside it. Persistent
loops say what this GPU then reaches: the best bandwidth of any with narrow accesses by bytes in flight on an SM, by
the arrays that are read and the mix of reads and writes. More in flight is taken to serve no less, and each further byte no more
than the one before: so between two points no less is taken than lies on the line between any two others, and none after the
highest is lower. Outside of what was measured nothing is said.
A kernel of one-shot blocks has less in flight than a loop with as many threads: from a block's last byte to the next one's first
request its slot has none. An empty kernel, one block at a time on an SM, says how long that is at least.

A loop's turn, too, has a moment with nothing in flight, which is in its points: so a little is counted twice, some percent at most.
What sees to it that the result is a floor is the comparison with every measured time, not this derivation.

With `dead` ns of that for each slot in a launch of t ns, t = bytes / bandwidth(full * (1 - dead / t)): the only unknown is t.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

Points = tuple[tuple[float, float], ...]  # by the first of each
Curve = Points  # (bytes in flight on an SM, bytes a ns of the whole GPU), with no point under a line between two others

SHARE_DIGITS = 6  # of a share's that count
DOUBLINGS = 60
HALVINGS = 50
PRECISION = 1e-6


def interpolated(points: Points, at: float) -> float | None:
    """On the line between the two points around it; None outside of all."""
    below = max((point for point in points if point[0] <= at), default=None)
    above = min((point for point in points if point[0] >= at), default=None)
    if below is None or above is None:
        return None
    span = above[0] - below[0]
    weight = (at - below[0]) / span if span > 0 else 0
    return below[1] + weight * (above[1] - below[1])


def concave(points: Mapping[float, float]) -> Curve:
    """The upper hull, level after its highest point."""
    hull: list[tuple[float, float]] = []
    for x, y in sorted(points.items()):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x0) > (y - y0) * (x1 - x0):  # above the line from the one before to the new one
                break
            hull.pop()
        hull.append((x, max(y, hull[-1][1]) if hull else y))
    return tuple(hull)


@dataclass(frozen=True)
class Launch:
    blocks: float
    block: int  # threads
    at_once: float  # bytes that a thread reads before it waits for them
    arrays: int = 1  # that it reads


@dataclass(frozen=True)
class Loops:
    """A GPU's: nothing where nothing was measured."""

    curves: Mapping[int, Mapping[float, Curve]] = field(default_factory=dict)  # by arrays read, then share of the bytes read
    turnover: Mapping[int, float] = field(default_factory=dict)  # ns a block, all SMs together, one slot each; by threads a block
    threads: int = 0  # that an SM holds

    def ns_per_byte(self, arrays: int, share: float, in_flight: float) -> float | None:
        """None for a mix between none that were measured, and where the loops had less or more in flight."""
        mixes = self.curves.get(arrays, {})
        rates = [(read, interpolated(curve, in_flight)) for read, curve in sorted(mixes.items())]
        return interpolated(tuple((read, 1 / reached) for read, reached in rates if reached), share)

    def least_ns(self, read: float, write: float, launch: Launch) -> float | None:
        """For so many bytes; None where no loop is like it."""
        slots = self.threads // launch.block
        if not slots or read <= 0:
            return None
        share = round(read / (read + write), SHARE_DIGITS)
        full = slots * launch.block * launch.at_once
        dead = launch.blocks * self.turnover.get(launch.block, 0) / slots

        def needed(ns: float) -> float | None:
            each = self.ns_per_byte(launch.arrays, share, full * (1 - dead / ns))
            return None if each is None else (read + write) * each

        undisturbed = needed(inf)
        if undisturbed is None:
            return None
        low = high = max(dead, undisturbed)
        for _ in range(DOUBLINGS):
            if (ns := needed(high)) is not None and ns <= high:
                break
            low, high = high, 2 * high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            ns = needed(middle)
            low, high = (middle, high) if ns is None or ns > middle else (low, middle)
        ns = needed(high)
        # Found at the end of the curve, and not on it: it would take less in flight than any loop had.
        return high if ns is not None and ns > high * (1 - PRECISION) else None
