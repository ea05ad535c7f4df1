"""The refunded share of a purchase as a step function of time (docs/semantics.md §2, "The refunded share")."""

from bisect import bisect_right
from typing import NamedTuple

WHOLE = 100_000


class State(NamedTuple):
    """One signed state of a transaction: what it shows of a refund; `revoked_at` is None without one."""

    signed_at: int
    revoked_at: int | None
    share: int


def _in_order(states: list) -> list:
    return sorted(set(states), key=lambda s: (s.signed_at, s.revoked_at is not None, s.share, -(s.revoked_at or 0)))


class _Transaction:
    """The share that one transaction's states show, taken from the rules as they are written."""

    def __init__(self, states: list):
        self.states = _in_order(states)
        self.reaches = []
        shown, reversal = False, None
        for state in self.states:
            if state.revoked_at is None:
                reversal = state.signed_at if shown else reversal
            elif state.revoked_at < state.signed_at and (reversal is None or state.revoked_at > reversal):
                self.reaches.append((state.revoked_at, state.signed_at, state.share))
            shown = state.revoked_at is not None

    def at(self, instant: int) -> int:
        share = 0
        for state in self.states:
            if state.signed_at <= instant:
                share = state.share if state.revoked_at is not None else 0
        return max([share] + [share for start, end, share in self.reaches if start <= instant < end])

    def changes(self) -> set:
        return {state.signed_at for state in self.states} | {start for start, _, _ in self.reaches}


class Together:
    """What several charges paid together: all of it once those that went back whole come to the total."""

    def __init__(self, charges: list, total: int):
        self.charges = [(amount, _Transaction(states)) for amount, states in charges]
        self.total = total

    def at(self, instant: int) -> int:
        back = [amount for amount, track in self.charges if track.at(instant) == WHOLE]
        return WHOLE if back and sum(back) >= self.total else 0

    def changes(self) -> set:
        return set().union(*(track.changes() for _, track in self.charges))


class Share:
    """The largest share of all transactions of a purchase and of what operators took back.

    With `only_whole` a part that is refunded counts for nothing, as for windows and add-ons that were paid by card.
    """

    def __init__(self, transactions: list, withdrawn_at: int | None = None, only_whole: bool = False):
        tracks = [each if isinstance(each, Together) else _Transaction(each) for each in transactions]
        self.points = sorted(set().union(*(track.changes() for track in tracks)) | {withdrawn_at} - {None})
        self.shares = []
        for point in self.points:
            share = max((track.at(point) for track in tracks), default=0)
            if only_whole and share < WHOLE:
                share = 0
            if withdrawn_at is not None and withdrawn_at <= point:
                share = WHOLE
            self.shares.append(share)

    def at(self, instant: int) -> int:
        place = bisect_right(self.points, instant)
        return self.shares[place - 1] if place else 0

    def open_parts(self, start: int, end: int) -> list:
        """The parts of `[start, end)` over which nothing is refunded."""
        edges = [start] + [point for point in self.points if start < point < end] + [end]
        parts = []
        for first, last in zip(edges, edges[1:]):
            if self.at(first) or first >= last:
                continue
            if parts and parts[-1][1] == first:
                parts[-1] = (parts[-1][0], last)
            else:
                parts.append((first, last))
        return parts
