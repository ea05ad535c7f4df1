"""Purchases of the App Store, from the texts that it signed (docs/semantics.md §2, §5, §7; docs/apple.md §2)."""

import base64
import json
from collections import defaultdict

from catalogue import KINDS, Catalogue
from holdings import AddOn, Holding, Lot, Pass, Period, Plan
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
    quantity = max(said.get("quantity", 1) for said in originals or transactions)
    share = _share(transactions, withdrawn_at)
    if reason is not None:
        return Holding(*common)
    if product.kind == "pass":
        tier = catalogue.tiers[product.tier]
        return Pass(*common, anchor=anchor, length=product.length * quantity, tier=tier, share=share)
    if product.kind == "add_on":
        return AddOn(*common, anchor=anchor, share=share)
    return Lot(*common, anchor=anchor, unit=product.unit, amount=product.amount * quantity, share=share)


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


class _Renewal:
    """A state of a chain's renewal, and how it stands among those that were signed at once."""

    def __init__(self, said: dict):
        self.signed_at = said["signedDate"]
        self.is_in_retry = said.get("isInBillingRetryPeriod") is True
        self.has_ended = said.get("expirationIntent") is not None and not self.is_in_retry
        self.renews = said.get("autoRenewStatus") == 1
        self.grace_end = said.get("gracePeriodExpiresDate")

    @property
    def order(self) -> tuple:
        earlier = float("inf") if self.grace_end is None else -self.grace_end
        return (self.signed_at, self.has_ended, self.is_in_retry, not self.renews, earlier)


def _plan(name: tuple, transactions: list, renewals: list, withdrawn_at, catalogue: Catalogue, leeway: int) -> Holding:
    by_period = defaultdict(list)
    for said in transactions:
        by_period[said.get("webOrderLineItemId") or said["transactionId"]].append(said)
    lists = sorted(by_period.values(), key=lambda said: min(state["purchaseDate"] for state in said))
    starts = [min(state["purchaseDate"] for state in states) for states in lists]
    periods, reasons = [], []
    for place, states in enumerate(lists):
        states.sort(key=lambda state: state["signedDate"])
        product = catalogue.by_id.get(states[0]["productId"])
        reason = _reason(states, product, "plan")
        reasons.append(reason)
        expiries = [state["expiresDate"] for state in states if state.get("expiresDate") is not None]
        stated_end = expiries[-1] if expiries else starts[place]
        end = stated_end
        upgraded = [state["signedDate"] for state in states if state.get("isUpgraded")]
        if upgraded:
            end = min(end, starts[place + 1] if place + 1 < len(starts) else upgraded[0])
        share = _share(states, withdrawn_at)
        counts = reason is None
        periods.append(
            Period(
                start=starts[place],
                stated_end=stated_end,
                parts=share.open_parts(starts[place], end) if counts else [],
                tier=catalogue.tiers[product.tier] if counts else None,
                product=product if counts else None,
                product_id=product.id if product is not None else None,
                store_id=states[0]["productId"],
                share=share,
                seats=product.seats if counts else None,
                is_upgraded=bool(upgraded),
            )
        )
    # Each period is judged by itself: what is only recorded tells nothing of those that count.
    known = [period for period in periods if period.product is not None]
    plan = Plan(*name, *periods[-1].names, "plan", periods=known or periods)
    if not known:
        plan.reason = reasons[-1]
        return plan
    last = periods[-1]
    newest = max((_Renewal(said) for said in renewals), key=lambda renewal: renewal.order, default=None)
    began = min(last.start, min(state["signedDate"] for state in lists[-1]))
    says = newest if newest is not None and newest.signed_at >= began else None
    if reasons[-1] is not None or last.is_upgraded:
        return plan
    plan.is_in_retry = says is not None and says.is_in_retry and not says.has_ended
    plan.renews = says is None or says.renews and not says.has_ended
    # What is refunded when it expires goes on no longer, even if that is reversed later.
    grace = None if last.share.at(last.stated_end) else _grace(last.stated_end, says, leeway)
    last.grace = last.share.open_parts(*grace) if grace is not None else []
    return plan


def _grace(expiry: int, says: _Renewal | None, leeway: int) -> tuple | None:
    if says is not None and says.grace_end is not None:
        return (expiry, says.grace_end) if says.grace_end > expiry else None
    if says is not None and (says.is_in_retry or says.has_ended or not says.renews):
        return None
    return (expiry, expiry + leeway)
