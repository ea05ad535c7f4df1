"""Purchases of the App Store, from the texts that it signed (docs/semantics.md §2, §5, §7; docs/apple.md §2)."""

import base64
import json
import math
from collections import defaultdict

from catalogue import KINDS, Catalogue
from holdings import AddOn, Holding, Lot, Pass, Period, Plan
from renewals import after, in_order
from shares import WHOLE, Share, State

SOURCE = "apple_iap"


def payload(text: str) -> dict:
    """What a compact JWS says. Whether it is Apple's is another test's question."""
    middle = text.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))


def key(transaction: dict) -> tuple:
    return (SOURCE, transaction["environment"], transaction["originalTransactionId"])


def _share_shown(transaction: dict) -> int:
    kind, part = transaction.get("revocationType"), transaction.get("revocationPercentage")
    if kind in ("REFUND_FULL", "FAMILY_REVOKE"):
        return WHOLE
    return part if part is not None and 0 <= part <= WHOLE else WHOLE


def _share(transactions: list, withdrawn_at: int | None) -> Share:
    states = defaultdict(list)
    for said in transactions:
        revoked_at = said.get("revocationDate")
        shown = State(said["signedDate"], revoked_at, _share_shown(said) if revoked_at is not None else 0)
        states[said["transactionId"]].append(shown)
    return Share(list(states.values()), withdrawn_at)


def holding(transactions: list, renewals: list, withdrawn_at: int | None, catalogue: Catalogue, leeway: int) -> Holding:
    """What all that was signed about one purchase makes of it."""
    first = transactions[0]
    name = key(first)
    kind = KINDS.get(first["type"])
    if kind == "plan":
        return _plan(name, transactions, renewals, withdrawn_at, catalogue, leeway)
    product = catalogue.by_id.get(first["productId"])
    reason = _reason(transactions, product, kind)
    told = (product.id, first["productId"], product.kind) if product else (None, first["productId"], None)
    common = (*name, product if reason is None else None, *told, reason)
    originals = [said for said in transactions if said["transactionId"] == said["originalTransactionId"]]
    if originals:
        anchor = min(said["purchaseDate"] for said in originals)
    else:
        anchor = min(said["originalPurchaseDate"] for said in transactions)
    quantity = max(said.get("quantity", 1) for said in transactions)
    share = _share(transactions, withdrawn_at)
    if reason is not None:
        return Holding(*common)
    if product.kind == "pass":
        tier = catalogue.tiers[product.tier]
        length = product.length(first["environment"]) * quantity
        return Pass(*common, quantity, anchor=anchor, length=length, tier=tier, share=share)
    if product.kind == "add_on":
        return AddOn(*common, quantity, anchor=anchor, share=share)
    return Lot(*common, quantity, anchor=anchor, unit=product.unit, amount=product.amount * quantity, share=share)


def _reason(transactions: list, product, kind: str | None) -> str | None:
    if len({said["productId"] for said in transactions}) > 1:
        return "quarantined"
    if product is None:
        return "unknown_product"
    if product.kind != kind:
        return "product_type_mismatch"
    if any(said.get("inAppOwnershipType") == "FAMILY_SHARED" for said in transactions):
        if product.kind in ("pass", "consumable") or not product.is_shareable:
            return "family_shared"
    return None


class _Stated:
    """A period as its texts state it, in the order of their signing."""

    def __init__(self, name: str, states: list):
        self.name = name
        self.states = sorted(states, key=lambda said: (said["signedDate"], said.get("expiresDate") or 0))
        self.start = min(said["purchaseDate"] for said in states)
        self.first_signed = self.states[0]["signedDate"]
        expiries = [said["expiresDate"] for said in self.states if said.get("expiresDate") is not None]
        self.end = expiries[-1] if expiries else self.start
        self.upgraded = [said["signedDate"] for said in self.states if said.get("isUpgraded")]

    @property
    def order(self) -> tuple:
        """Of two that begin together the last stays."""
        return (self.start, self.first_signed, self.name.encode())


def _chain(transactions: list) -> list:
    """The periods in order. A restored copy of an old one ends before it starts, and is none."""
    by_period = defaultdict(list)
    for said in transactions:
        by_period[said.get("webOrderLineItemId") or said["transactionId"]].append(said)
    stated = sorted((_Stated(*each) for each in by_period.items()), key=lambda each: each.order)
    return [each for each in stated if each.start < each.end] or stated


def _plan(name: tuple, transactions: list, told: list, withdrawn_at, catalogue: Catalogue, leeway: int) -> Holding:
    chain = _chain(transactions)
    renewals = in_order(told)
    periods, reasons = [], []
    for place, stated in enumerate(chain):
        follower = chain[place + 1] if place + 1 < len(chain) else None
        reason = _reason(stated.states, catalogue.by_id.get(stated.states[0]["productId"]), "plan")
        share = _share(stated.states, withdrawn_at)
        period = _period(stated, follower, reason, share, catalogue)
        if reason is None and not period.is_replaced:
            until = math.inf if follower is None else follower.start
            grace, retry = after(_speaking(renewals, stated), stated.start, stated.end, until, leeway)
            period.grace = [part for stretch in grace for part in share.open_parts(*stretch)]
            period.retry = [part for stretch in retry for part in share.open_parts(*stretch)]
        periods.append(period)
        reasons.append(reason)
    # Each period is judged by itself: what is only recorded tells nothing of those that count.
    known = [period for period in periods if period.product is not None]
    plan = Plan(*name, *periods[-1].names, "plan", periods=known or periods)
    plan.group = chain[-1].states[-1].get("subscriptionGroupIdentifier")
    plan.introduced_at = min((said["purchaseDate"] for said in transactions if _is_introductory(said)), default=None)
    if not known:
        plan.reason = reasons[-1]
    elif reasons[-1] is None and not periods[-1].is_replaced:
        speaking = _speaking(renewals, chain[-1])
        plan.renews = not speaking or speaking[-1].renews and not speaking[-1].is_over
    return plan


def _speaking(renewals: list, stated: _Stated) -> list:
    """The states that say something of a period: signed since it began or was first stated."""
    return [each for each in renewals if each.signed_at >= min(stated.start, stated.first_signed)]


def _period(stated: _Stated, follower: _Stated | None, reason, share: Share, catalogue: Catalogue) -> Period:
    """A period until the next one begins in it; an upgraded one ends also if none is known."""
    product = catalogue.by_id.get(stated.states[0]["productId"])
    end = stated.end
    if follower is not None:
        end = min(end, follower.start)
    elif stated.upgraded:
        end = max(stated.start, min(end, stated.upgraded[0]))
    counts = reason is None
    return Period(
        start=stated.start,
        stated_end=stated.end,
        parts=share.open_parts(stated.start, end) if counts else [],
        tier=catalogue.tiers[product.tier] if counts else None,
        product=product if counts else None,
        product_id=product.id if product is not None else None,
        store_id=stated.states[0]["productId"],
        share=share,
        seats=product.seats if counts else None,
        is_replaced=end < stated.end or bool(stated.upgraded),
    )


def _is_introductory(said: dict) -> bool:
    """Whether the introductory offer sold it to this user; that of others in the family does not count."""
    return said.get("offerType") == 1 and said.get("inAppOwnershipType") != "FAMILY_SHARED"
