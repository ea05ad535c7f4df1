"""The aggregated status of one user at an instant, as api.md shapes it (docs/semantics.md §2, §3, §4, §8)."""

from datetime import datetime, timezone

from catalogue import Catalogue
from coverage import end_without_gap
from holdings import AddOn, Holding, Lot, Pass, Period, Piece, Plan
from shares import WHOLE

PROVIDERS = {"apple_iap": "apple", "stripe": "stripe", "manual": "manual"}


class User:
    """What one user has, the pieces that cover, what was spent, and when sandbox purchases count."""

    def __init__(self, name: str, holdings: list, pieces: list, spends: list, counts_sandbox, catalogue: Catalogue):
        self.name = name
        self.holdings = holdings
        self.pieces = pieces
        self.spends = spends
        self.counts_sandbox = counts_sandbox
        self.catalogue = catalogue

    def _counting(self, instant: int) -> list:
        """Pieces that count at an instant: grace and leeway once entered, sandbox where it counts."""
        return [
            piece
            for piece in self.pieces
            if (piece.holding.environment == "Production" or self.counts_sandbox(instant))
            and (not piece.is_grace or piece.start <= instant)
        ]

    def status(self, instant: int) -> dict:
        counting = self._counting(instant)
        now = [piece for piece in counting if piece.start <= instant < piece.end]
        add_ons = self._add_ons(instant, now)
        active = [held.product for held, state in add_ons if state == "active"]
        tiers = [piece.tier for piece in now]
        status = {"active": bool(now)}
        if now:
            tier = min(tiers, key=lambda tier: (-tier.rank, tier.lane.encode()))
            best = [piece for piece in counting if piece.tier.rank >= tier.rank]
            status |= {
                "expires_at_ms": end_without_gap([piece for piece in best if piece.end > instant], instant),
                "access_expires_at_ms": end_without_gap([piece for piece in counting if piece.end > instant], instant),
            }
            only_grace = all(piece.is_grace for piece in now if piece.tier.rank == tier.rank)
            status["state"] = "grace" if only_grace else "active"
        else:
            tier = self.catalogue.default_tier
            tiers = [tier] if tier is not None else []
            last = max((piece.end for piece in counting if piece.end <= instant), default=None)
            status |= {"expires_at_ms": last, "access_expires_at_ms": last}
            status["state"] = "none" if last is None else "expired"
        status["tier"] = tier.id if tier is not None else None
        status["tier_rank"] = tier.rank if tier is not None else None
        status["features"] = sorted(set().union(*(t.features for t in tiers), *(p.features for p in active)))
        status["limits"] = {}
        for each in tiers:
            for name, limit in each.limits.items():
                status["limits"][name] = max(limit, status["limits"].get(name, limit))
        states = {held.name: state for held, state in add_ons}
        status["entitlements"] = [self._entitlement(held, instant, now, states) for held in self.holdings]
        status["segments"] = [_segment(piece) for piece in counting]
        status["offers"] = self._offers(instant, counting)
        status["add_ons"] = _shown_once(add_ons)
        status["credits"] = self._credits(instant)
        status["devices"] = {"allowed": _allowed(now, tiers) + sum(product.seats or 0 for product in active)}
        return status

    def check(self, instant: int, status: dict) -> dict:
        """The short answer beside a status of the same instant; `wins` are all that may be named as what decides."""
        counting = self._counting(instant)
        now = [piece for piece in counting if piece.start <= instant < piece.end]
        deciding = _deciding(now, counting, instant)
        return {
            "is_subscribed": status["active"],
            "has_active_subscription": status["active"],
            "status": _word(status, deciding),
            "devices": status["devices"]["allowed"],
            "expires_at": _written(status["expires_at_ms"]),
            "wins": [_winner(piece) for piece in deciding],
        }

    def _add_ons(self, instant: int, now: list) -> list:
        found = []
        for held in self.holdings:
            if not isinstance(held, AddOn) or held.anchor > instant:
                continue
            if held.environment == "Sandbox" and not self.counts_sandbox(instant):
                continue
            needed = self.catalogue.tiers.get(held.product.requires)
            if held.share.at(instant):
                found.append((held, "revoked"))
            elif needed is not None and not any(piece.tier.rank >= needed.rank for piece in now):
                found.append((held, "suspended"))
            else:
                found.append((held, "active"))
        return found

    def _entitlement(self, held: Holding, instant: int, now: list, add_ons: dict) -> dict:
        told = {
            "source": held.source,
            "external_id": held.external_id,
            "environment": held.environment,
            "product_id": held.product_id,
            "store_product_id": held.store_id,
            "kind": held.kind,
            "quantity": held.quantity,
            "state": self._state(held, instant, now, add_ons),
        }
        if isinstance(held, Plan) and held.reason is None:
            present = self._present(held, instant)
            told |= {"product_id": present.product_id, "store_product_id": present.store_id}
        if isinstance(held, (Pass, Plan)):
            start, end = _stretch(held, self._counting(instant), instant)
            told |= {"starts_at_ms": start, "ends_at_ms": end}
        if isinstance(held, Pass):
            told["duration_seconds"] = held.length // 1000
        told["will_renew"] = _will_renew(held, instant)
        return told

    def _present(self, plan: Plan, instant: int) -> Piece | Period:
        """What covers at the highest tier; else the newest period that has begun, else the first."""
        covering = [each for each in self.pieces if each.holding is plan and each.start <= instant < each.end]
        if covering:
            return max(covering, key=lambda piece: (piece.tier.rank, piece.start))
        begun = [period for period in plan.periods if period.start <= instant]
        return begun[-1] if begun else plan.periods[0]

    def _state(self, held: Holding, instant: int, now: list, add_ons: dict) -> str:
        if held.reason is not None or held.environment == "Sandbox" and not self.counts_sandbox(instant):
            return "recorded"
        covering = [piece for piece in now if piece.holding is held]
        if covering:
            return "grace" if all(piece.is_grace for piece in covering) else "running"
        if isinstance(held, AddOn):
            state = add_ons.get(held.name, "queued")
            return "running" if state == "active" else state
        if isinstance(held, Lot):
            return "revoked" if held.share.at(instant) == WHOLE else "running" if held.anchor <= instant else "queued"
        if isinstance(held, Plan):
            return _plan_state(held, instant)
        return self._pass_state(held, instant)

    def _pass_state(self, held: Pass, instant: int) -> str:
        own = [piece for piece in self.pieces if piece.holding is held]
        ran = sum(min(piece.end, instant) - piece.start for piece in own if piece.start < instant)
        if held.share.at(instant) == WHOLE:
            return "revoked"
        if ran >= held.length * (WHOLE - held.share.at(instant)) // WHOLE:
            return "finished"
        return "paused" if ran else "queued"

    def _offers(self, instant: int, counting: list) -> list:
        """Introductory offers: each is open while no plan of its group runs, until a period was sold by one."""
        groups = {group: True for group in self.catalogue.groups}
        for held in self.holdings:
            if not isinstance(held, Plan) or held.group is None:
                continue
            if held.environment == "Sandbox" and not self.counts_sandbox(instant):
                continue
            groups.setdefault(held.group, True)
            covers = any(piece.holding is held and piece.start <= instant < piece.end for piece in counting)
            is_retried = any(held.is_retried(period, instant) for period in held.periods)
            was_introduced = held.introduced_at is not None and held.introduced_at <= instant
            if covers or is_retried or was_introduced:
                groups[held.group] = False
        return [
            {"subscription_group": group, "introductory_eligible": is_open} for group, is_open in sorted(groups.items())
        ]

    def _credits(self, instant: int) -> list:
        purses = {}
        for held in self.holdings:
            if isinstance(held, Lot) and held.anchor <= instant:
                if held.environment == "Production" or self.counts_sandbox(instant):
                    taken = (held.amount * held.share.at(instant) + WHOLE // 2) // WHOLE
                    purse = (held.unit, held.environment)
                    purses[purse] = purses.get(purse, 0) + held.amount - taken
        for spent_at, unit, amount in self.spends:
            if spent_at <= instant:
                purses[unit, "Production"] = purses.get((unit, "Production"), 0) - amount
        return [
            {"unit": unit, "environment": environment, "spendable": max(0, left), "debt": max(0, -left)}
            for (unit, environment), left in sorted(purses.items())
        ]


def _shown_once(add_ons: list) -> list:
    """A product that a user has several times is shown at its best."""
    order = ["active", "suspended", "revoked"]
    best = {}
    for held, state in add_ons:
        known = best.get(held.product.id, state)
        best[held.product.id] = min(known, state, key=order.index)
    return [{"product_id": product, "state": state} for product, state in sorted(best.items())]


def _allowed(now: list, tiers: list) -> int:
    if not now:
        return max((tier.seats for tier in tiers), default=0)
    return max(piece.seats if piece.seats is not None else piece.tier.seats for piece in now)


def _written(instant: int | None) -> str | None:
    """RFC 3339 with whole seconds, cut."""
    return None if instant is None else f"{datetime.fromtimestamp(instant // 1_000, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _segment(piece) -> dict:
    return {
        "lane": piece.tier.lane,
        "tier": piece.tier.id,
        "source": piece.holding.source,
        "external_id": piece.holding.external_id,
        "product_id": piece.product_id,
        "store_product_id": piece.store_id,
        "environment": piece.holding.environment,
        "starts_at_ms": piece.start,
        "ends_at_ms": piece.end,
    }


def _will_renew(held: Holding, instant: int) -> bool | None:
    if not isinstance(held, Plan) or held.reason is not None:
        return None
    last = held.periods[-1]
    if not held.renews or last.share.at(instant):
        return False
    return (
        instant < last.stated_end
        or held.is_retried(last, instant)
        or any(start <= instant < end for start, end in last.grace)
    )


def _plan_state(plan: Plan, instant: int) -> str:
    begun = [period for period in plan.periods if period.start <= instant]
    if not begun:
        return "queued"
    present = begun[-1]
    if present.share.at(instant):
        return "revoked"
    if any(pause <= instant < (present.stated_end if end is None else end) for pause, end in present.pauses):
        if instant < present.stated_end:
            return "suspended"
    if plan.is_retried(present, instant):
        return "billing_retry"
    return "finished"


def _word(status: dict, deciding: list) -> str:
    if status["active"]:
        return status["state"].upper()
    if not deciding:
        return "NONE"
    return "REVOKED" if any(_was_taken(piece) for piece in deciding) else "EXPIRED"


def _was_taken(piece) -> bool:
    """Whether a piece ended because something was refunded or taken back at that instant."""
    share = piece.share
    return share.at(piece.end) > share.at(piece.end - 1)


def _stretch(held: Holding, counting: list, instant: int) -> tuple:
    """The stretch without a gap that a purchase is in, else its next, else its last."""
    stretches = []
    for piece in counting:
        if piece.holding is not held:
            continue
        if stretches and piece.start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], piece.end))
        else:
            stretches.append((piece.start, piece.end))
    last = stretches[-1] if stretches else (None, None)
    return next((stretch for stretch in stretches if instant < stretch[1]), last)


def _deciding(now: list, counting: list, instant: int) -> list:
    """What decides: all pieces of one purchase that cover now at the highest rank, else that ended last at it."""
    found = now
    if not now:
        past = [piece for piece in counting if piece.end <= instant]
        last = max((piece.end for piece in past), default=None)
        found = [piece for piece in past if piece.end == last]
    rank = max((piece.tier.rank for piece in found), default=0)
    found = [piece for piece in found if piece.tier.rank == rank]

    def order(piece: Piece) -> tuple:
        held = piece.holding
        end = _stretch(held, counting, instant)[1] if now else piece.end
        names = (piece.tier.lane.encode(), held.source.encode(), held.external_id.encode())
        return (not _will_renew(held, instant), -end, *names)

    first = min(map(order, found), default=None)
    return [piece for piece in found if order(piece) == first]


def _winner(piece) -> dict:
    product = piece.product
    return {"provider": PROVIDERS[piece.holding.source], "plan_id": product.plan_id if product is not None else None}
