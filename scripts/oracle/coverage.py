"""When a user's passes run, and what covers (docs/semantics.md §2)."""

from collections import defaultdict

from catalogue import Catalogue
from holdings import Pass, Piece, Plan
from shares import WHOLE


def pieces(holdings: list, catalogue: Catalogue) -> list:
    """All stretches that are covered, planned ones too; grace and leeway only where nothing was paid for yet."""
    windows = [piece for held in holdings if isinstance(held, Plan) for piece in _windows(held)]
    lanes = defaultdict(list)
    for held in holdings:
        if isinstance(held, Pass):
            lanes[held.environment, held.tier.lane].append(held)
    running = []
    for (environment, lane), passes in lanes.items():
        over = []
        if lane in catalogue.pausing_lanes:
            over = [w for w in windows if w.holding.environment == environment and w.tier.lane == lane]
            over = [window for window in over if not window.is_grace]
        running += run(passes, over)
    return sorted(windows + running, key=lambda piece: (piece.start, piece.end))


def _windows(plan: Plan) -> list:
    return [
        Piece(start, end, each.tier, plan, each.share, *each.names, each.seats, is_grace)
        for each in plan.periods
        for is_grace, parts in ((False, each.parts), (True, each.grace))
        for start, end in parts
    ]


def run(passes: list, over: list) -> list:
    """The pieces of one lane: at every instant the pass that the rule names, taken from instant to instant.

    `over` are windows under which passes of a lower rank do not run.
    """
    instants = {held.anchor for held in passes} | {edge for window in over for edge in (window.start, window.end)}
    for held in passes:
        instants |= set(held.share.points)
    instants = sorted(instants)
    ran = {held.name: 0 for held in passes}
    found = []
    now = min(held.anchor for held in passes)
    while now is not None:
        later = next((instant for instant in instants if instant > now), None)
        ready = [
            held
            for held in passes
            if held.anchor <= now
            and _left(held, now, ran) > 0
            and not any(w.start <= now < w.end and w.tier.rank > held.tier.rank for w in over)
        ]
        if ready:
            chosen = min(ready, key=lambda held: (-held.tier.rank, held.anchor, held.external_id.encode()))
            end = now + _left(chosen, now, ran)
            end = end if later is None else min(end, later)
            ran[chosen.name] += end - now
            if found and found[-1].holding is chosen and found[-1].end == now:
                found[-1].end = end
            else:
                names = (chosen.product, chosen.product_id, chosen.store_id)
                found.append(Piece(now, end, chosen.tier, chosen, chosen.share, *names, seats=_seats(chosen)))
            now = end
        else:
            now = later
    return found


def _left(held: Pass, now: int, ran: dict) -> int:
    return held.length * (WHOLE - held.share.at(now)) // WHOLE - ran[held.name]


def _seats(held: Pass) -> int | None:
    return held.product.seats if held.product is not None else None


def end_without_gap(covering: list, instant: int) -> int:
    """The end of gap-free coverage by these pieces, of which some cover `instant`."""
    end = instant
    for piece in covering:  # in order of their starts
        if piece.start > end:
            break
        end = max(end, piece.end)
    return end
