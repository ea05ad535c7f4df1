"""The answer to `GET status`, as `api.md`, "Status" has it."""

from full.timeline import Timeline
from wire import instant


def status(user: str, timeline: Timeline, at: int) -> dict:
    catalog = timeline.catalog
    current = [run for run in timeline.runs if run[2] <= at < run[3]]
    top = max((run[1].tier for run in current), key=lambda tier: tier.rank, default=None)
    tier = top or catalog.default_tier
    expires_at, access_expires_at = _reach(timeline.runs, at, top)
    features: dict = dict.fromkeys(tier.features if tier else ())
    limits = dict(tier.limits) if tier else {}
    for run in current:
        features.update(dict.fromkeys(run[1].tier.features))
        for name, value in run[1].tier.limits.items():
            limits[name] = max(limits.get(name, value), value)
    add_ons, credits = _add_ons(timeline, features), _credits(timeline)
    return {
        "user_id": user,
        "at": instant(at),
        "active": top is not None,
        "tier": tier.id if tier else None,
        "tier_rank": tier.rank if tier else None,
        "expires_at": instant(expires_at),
        "expires_at_ms": expires_at,
        "access_expires_at": instant(access_expires_at),
        "access_expires_at_ms": access_expires_at,
        "state": "active" if top else "expired" if timeline.runs else "none",
        "features": list(features),
        "limits": limits,
        "entitlements": [_entitlement(state, timeline, at) for state in timeline.purchases],
        "segments": [_segment(run) for run in timeline.runs if run[3] > at],
        "add_ons": add_ons,
        "credits": credits,
        "devices": {"allowed": tier.devices if tier else 0, "active": 0, "suspended": 0},
        "offers": [],
        "explanation": [],
    }


def _reach(runs: list, at: int, top) -> tuple:
    if top is None:
        last = max((run[3] for run in runs if run[3] <= at), default=None)
        return last, last
    ends = {}
    for name, floor in (("tier", top.rank), ("access", -1)):
        end = at
        for _, product, starts_at, ends_at in runs:
            if product.tier.rank >= floor and starts_at <= end < ends_at:
                end = ends_at
        ends[name] = end
    return ends["tier"], ends["access"]


def _entitlement(state, timeline: Timeline, at: int) -> dict:
    product = timeline.catalog.products.get(state.product_id)
    span = timeline.spans.get(state.key)
    starts_at, ends_at = span if span else (None, None)
    if state.revoked_at is not None and state.revoked_at <= at:
        name = "revoked"
    elif span is None:
        name = "running" if product is not None and product.kind != "pass" else "recorded"
    elif at < starts_at:
        name = "queued"
    elif at >= ends_at:
        name = "finished"
    else:
        running = any(run[0] is state and run[2] <= at < run[3] for run in timeline.runs)
        name = "running" if running else "paused"
    return {
        "source": "apple_iap",
        "external_id": state.original_transaction_id,
        "product_id": state.product_id,
        "kind": product.kind if product else None,
        "tier": product.tier.id if product and product.tier else None,
        "state": name,
        "starts_at": instant(starts_at),
        "starts_at_ms": starts_at,
        "ends_at": instant(ends_at),
        "ends_at_ms": ends_at,
        "will_renew": None,
        "environment": state.environment,
    }


def _segment(run: list) -> dict:
    state, product, starts_at, ends_at = run
    return {
        "lane": "main",
        "tier": product.tier.id,
        "tier_rank": product.tier.rank,
        "source": "apple_iap",
        "external_id": state.original_transaction_id,
        "environment": state.environment,
        "starts_at": instant(starts_at),
        "starts_at_ms": starts_at,
        "ends_at": instant(ends_at),
        "ends_at_ms": ends_at,
    }


def _add_ons(timeline: Timeline, features: dict) -> list:
    add_ons = []
    for state in timeline.purchases:
        product = timeline.catalog.products.get(state.product_id)
        if product is None or product.kind != "add_on":
            continue
        revoked = state.revoked_at is not None
        if not revoked:
            features.update(dict.fromkeys(product.features))
        add_ons.append(
            {
                "product_id": product.id,
                "features": list(product.features),
                "state": "revoked" if revoked else "active",
            }
        )
    return add_ons


def _credits(timeline: Timeline) -> list:
    balances: dict = {}
    for state in timeline.purchases:
        product = timeline.catalog.products.get(state.product_id)
        if product is None or product.kind != "consumable" or state.revoked_at is not None:
            continue
        key = (product.unit, state.environment)
        balances[key] = balances.get(key, 0) + product.amount * state.quantity
    return [
        {"unit": unit, "environment": environment, "spendable": amount, "debt": 0, "reserved": 0}
        for (unit, environment), amount in balances.items()
    ]
