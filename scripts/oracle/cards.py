"""Purchases by card, from Stripe's events in both shapes (docs/semantics.md §7, "Cards"; docs/stripe.md).

Whose a purchase is, is said here too, because only these events name users.
"""

from collections import defaultdict

from catalogue import Catalogue
from holdings import AddOn, Holding, Lot, Pass, Period, Plan
from shares import WHOLE, Share, State, Together

SOURCE = "stripe"
ENDED = ("canceled", "incomplete_expired")
RUNNING = ("active", "trialing", "past_due", "unpaid", "paused")
MONEY_IS_BACK = {"lost": True, "prevented": True, "won": False, "warning_closed": False}


def _milliseconds(seconds: int) -> int:
    return seconds * 1_000


def _id(value):
    """An id, or the id of an object that stands in its place."""
    return value["id"] if isinstance(value, dict) else value


class Cards:
    """All that the events say, each event once."""

    def __init__(self, catalogue: Catalogue, user_key: str, grace: int, leeway: int):
        self.catalogue = catalogue
        self.user_key = user_key
        self.grace = grace
        self.leeway = leeway
        self.seen = set()
        self.sessions = defaultdict(list)  # what is paid once: key → sessions that say that it is
        self.subscriptions = defaultdict(list)  # key → events
        self.invoices = defaultdict(set)  # invoice → the periods that it is for
        self.charged = defaultdict(set)  # invoice → what it charges for, and from when
        self.paid, self.failed = set(), set()  # invoices
        self.paid_by = defaultdict(set)  # payment → invoices
        self.amounts = {}  # invoice → the largest amount that was paid of it
        self.takings = defaultdict(lambda: defaultdict(list))  # payment → charge or dispute → states
        self.captured = {}  # charge → how much
        self.users = {}  # key → who its own events name
        self.customers = {}  # customer → who was named for it first
        self.customer_of = {}  # key → customer

    # Reading

    def read(self, event: dict):
        if event["id"] in self.seen or event.get("object") != "event":
            return
        self.seen.add(event["id"])
        said, kind = event["data"]["object"], event["type"]
        environment = "Production" if event["livemode"] else "Sandbox"
        if kind in ("checkout.session.completed", "checkout.session.async_payment_succeeded"):
            self._read_session(event, said, environment)
        elif kind.startswith("customer.subscription."):
            key = (SOURCE, environment, said["id"])
            self.subscriptions[key].append(event)
            self._name(key, said.get("metadata", {}).get(self.user_key), said.get("customer"))
        elif kind.startswith("invoice."):
            self._read_invoice(said, environment)
        elif kind == "invoice_payment.paid":
            payment = said["payment"]
            self.paid_by[_id(payment.get("payment_intent") or payment.get("charge"))].add(said["invoice"])
        elif kind == "charge.refunded":
            captured = said.get("amount_captured", 0)
            captured = captured if 0 < captured < said["amount"] else said["amount"]
            share = said["amount_refunded"] * WHOLE // captured
            is_whole = said["refunded"] or captured < said["amount"] and said["amount_refunded"] >= captured
            share = WHOLE if is_whole else min(share, WHOLE - 1)
            self._take(said, "refund", event, share)
            self.captured[said["id"]] = captured
            if said.get("invoice") is not None:
                self.paid_by[_payment(said)].add(_id(said["invoice"]))
        elif kind.startswith("charge.dispute."):
            if said["status"] in MONEY_IS_BACK:
                self._take(said, "dispute", event, WHOLE if MONEY_IS_BACK[said["status"]] else 0)
        elif kind in ("customer.created", "customer.updated"):
            self._name(None, said.get("metadata", {}).get(self.user_key), said["id"])

    def _read_session(self, event: dict, said: dict, environment: str):
        user = said.get("client_reference_id") or said.get("metadata", {}).get(self.user_key)
        if said["mode"] == "subscription":
            self._name((SOURCE, environment, _id(said["subscription"])), user, said.get("customer"))
        elif said["mode"] == "payment":
            key = (SOURCE, environment, _id(said.get("payment_intent")) or said["id"])
            self._name(key, user, said.get("customer"))
            if said["payment_status"] != "unpaid":
                self.sessions[key].append(event)

    def _read_invoice(self, said: dict, environment: str):
        parent = (said.get("parent") or {}).get("subscription_details") or {}
        subscription = _id(said.get("subscription") or parent.get("subscription"))
        if subscription is None:
            return
        metadata = parent.get("metadata") or (said.get("subscription_details") or {}).get("metadata") or {}
        self._name((SOURCE, environment, subscription), metadata.get(self.user_key), said.get("customer"))
        was_tried = said.get("status") in ("open", "uncollectible") and said.get("attempt_count", 0) > 0
        if said.get("status") == "paid":
            self.paid.add(said["id"])
            if said.get("amount_paid") is not None:
                self.amounts[said["id"]] = max(said["amount_paid"], self.amounts.get(said["id"], 0))
        elif was_tried and not said["lines"].get("has_more"):
            self.failed.add(said["id"])
        for line in said["lines"]["data"]:
            details = (line.get("parent") or {}).get("subscription_item_details")
            if details is None and line.get("type") == "subscription":
                details = line
            price = (line.get("pricing") or {}).get("price_details", {}).get("price") or _id(line.get("price"))
            start = _milliseconds(line["period"]["start"])
            if details is not None and not details.get("proration"):
                self.invoices[said["id"]].add((details["subscription_item"], price, start))
            elif line.get("amount", 0) <= 0:
                continue
            self.charged[said["id"]].add((price, start))
        for payment in (said.get("payment_intent"), said.get("charge")):
            if payment is not None:
                self.paid_by[_id(payment)].add(said["id"])

    def _take(self, said: dict, what: str, event: dict, share: int):
        made = _milliseconds(event["created"])
        state = State(made, made if share else None, share)
        self.takings[_payment(said)][what, said["id"]].append(state)

    def _name(self, key: tuple | None, user: str | None, customer):
        customer = _id(customer)
        if key is not None and customer is not None:
            self.customer_of.setdefault(key, customer)
        if user is not None:
            if key is not None:
                self.users.setdefault(key, user)
            if customer is not None:
                self.customers.setdefault(customer, user)

    # Telling

    def keys(self) -> list:
        return list(self.sessions) + list(self.subscriptions)

    def user(self, key: tuple) -> str | None:
        return self.users.get(key) or self.customers.get(self.customer_of.get(key))

    def holding(self, key: tuple, withdrawn_at: int | None) -> Holding:
        return self._plan(key, withdrawn_at) if key in self.subscriptions else self._payment(key, withdrawn_at)

    def _payment(self, key: tuple, withdrawn_at: int | None) -> Holding:
        first = min(self.sessions[key], key=lambda event: (event["created"], event["id"].encode()))
        anchor = _milliseconds(first["created"])
        said = first["data"]["object"]
        names = [name for name in (said.get("payment_link"), said.get("metadata", {}).get("plan_id")) if name]
        product = self.catalogue.card_product(names)
        if product is None or product.kind == "plan":
            reason = "unknown_product" if product is None else "product_type_mismatch"
            told = product.id if product is not None else None
            return Holding(*key, None, told, names[0] if names else None, None, reason)
        common = (*key, product, product.id, names[0], product.kind)
        taken = list(self.takings[key[2]].values())
        if product.kind == "pass":
            tier = self.catalogue.tiers[product.tier]
            length = product.length(key[1])
            return Pass(*common, anchor=anchor, length=length, tier=tier, share=Share(taken, withdrawn_at))
        if product.kind == "add_on":
            return AddOn(*common, anchor=anchor, share=Share(taken, withdrawn_at, only_whole=True))
        share = Share(taken, withdrawn_at)
        return Lot(*common, anchor=anchor, unit=product.unit, amount=product.amount, share=share)

    def _plan(self, key: tuple, withdrawn_at: int | None) -> Holding:
        events = sorted(self.subscriptions[key], key=_order)
        end = min((_end(event) for event in events if _has_ended(event)), default=None)
        told = [_Told(event) for event in events if event["data"]["object"]["status"] in RUNNING]
        runs, pauses, graces = _runs(told), _pauses(told), self._graces(told)
        # Of what begins together that which was replaced for good first.
        lasts = {line.key: place for place, event in enumerate(told) for line in event.lines}
        runs.sort(key=lambda run: (run.begin, lasts[run.line.key]))
        periods = [self._period(run, graces.get(run.line.cycle), pauses, end, withdrawn_at) for run in runs]
        if not periods:
            return Holding(*key, None, None, None, None, "unpaid")
        # Each period is judged by itself: what is only recorded tells nothing of those that count.
        known = [period for period in periods if period.product is not None]
        plan = Plan(*key, *periods[-1].names, "plan", periods=known or periods)
        if not known:
            plan.reason = "unknown_product"
        newest, last = told[-1], periods[-1]
        if end is not None or last.product is None:
            return plan
        plan.renews = newest.renews and bool(newest.lines)
        plan.is_in_retry = newest.status == "past_due" and last.is_unpaid
        # What is refunded when it expires goes on no longer, even if that is reversed later.
        if plan.renews and not last.is_unpaid and not last.share.at(runs[-1].stated_end):
            leeway = last.share.open_parts(last.stated_end, last.stated_end + self.leeway)
            last.grace = _without(leeway, pauses)
        return plan

    def _period(self, run, unpaid_until: int | None, pauses: list, end: int | None, withdrawn_at: int | None) -> Period:
        product = self.catalogue.card_product(run.line.names)
        share = Share(self._taken(run), withdrawn_at, only_whole=True)
        stated_end = run.end if end is None else max(run.begin, min(run.end, end))
        parts, grace = share.open_parts(run.begin, stated_end), []
        if unpaid_until is not None:
            limits = [each for each in (unpaid_until, end, run.closed_at) if each is not None]
            parts, grace = [], share.open_parts(run.begin, min(limits))
            stated_end = run.line.start
        seats = None
        if product is not None:
            seats = min(run.quantity, 10_000) if product.sells_seats else product.seats
        return Period(
            start=run.begin,
            stated_end=stated_end,
            parts=_without(parts, pauses) if product is not None else [],
            tier=self.catalogue.tiers[product.tier] if product is not None else None,
            product=product,
            product_id=product.id if product is not None else None,
            store_id=run.line.price,
            share=share,
            seats=seats,
            grace=_without(grace, pauses) if product is not None else [],
            pauses=pauses,
            is_unpaid=unpaid_until is not None,
        )

    def _taken(self, run) -> list:
        """What was taken back of what paid for a period: for all of its cycle, unless it has a bill of its own."""
        line = run.line
        is_billed = any(
            invoice in self.paid and price == line.price and line.start <= start < run.stated_end
            for invoice, lines in self.charged.items()
            for price, start in lines
        )
        billed = set().union(*self.invoices.values())
        prices = {price for item, price, start in billed if (item, start) == line.cycle}
        payers = prices & {line.price} if is_billed else prices
        return [taking for price in sorted(payers) for taking in self._taken_of((line.item, price, line.start))]

    def _taken_of(self, period: tuple) -> list:
        """What was taken back of what invoices charged for a period; charges take it together, a dispute alone."""
        invoices = {invoice for invoice, lines in self.invoices.items() if period in lines}
        taken = [
            (what, number, states)
            for payment, theirs in self.paid_by.items()
            if theirs & invoices
            for (what, number), states in self.takings[payment].items()
        ]
        total = max((self.amounts[invoice] for invoice in invoices if invoice in self.amounts), default=None)
        if total is None:
            return [states for _, _, states in taken]
        charges = [(self.captured[number], states) for what, number, states in taken if what == "refund"]
        return [states for what, _, states in taken if what == "dispute"] + [Together(charges, total)]

    def _graces(self, told: list) -> dict:
        """Of each cycle that is not paid, until when it goes on all the same."""
        cycles = {line.cycle for event in told for line in event.lines}
        billed = {(item, start) for lines in self.invoices.values() for item, _, start in lines}
        ends, run, before = {}, [], None
        for item, start in sorted(cycles | billed):
            missing = self._missing((item, start), told)
            if missing is None or before != item:
                run = []
            before = item
            if missing is None:
                continue
            run.append((item, start))
            until = min([missing] + [ends[cycle] for cycle in run[:-1]])
            ends.update(dict.fromkeys(run, until))
        return ends

    def _missing(self, cycle: tuple, told: list) -> int | None:
        """Until when a cycle goes on though its money is missing; None for one that is paid."""
        events = [event for event in told if any(line.cycle == cycle for line in event.lines)]
        owing = []
        for event in reversed(events):
            if event.status not in ("past_due", "unpaid"):
                break
            owing.append(event)
        own = [invoice for invoice, lines in self.invoices.items() if cycle in [(i, start) for i, _, start in lines]]
        if not owing or any(invoice in self.paid for invoice in own):
            return None
        known = self.paid | self.failed
        if not any(invoice in self.failed for invoice in own) and all(event.invoice in known for event in owing):
            return None
        return min(cycle[1] + self.grace if event.status == "past_due" else event.made for event in owing)


def _pauses(told: list) -> list:
    """The stretches in which everything is paused; the last may have no end."""
    pauses, since = [], None
    for event in told:
        if event.status == "paused":
            since = event.made if since is None else since
        elif since is not None:
            pauses.append((since, event.made))
            since = None
    return pauses if since is None else [*pauses, (since, None)]


def _without(parts: list, pauses: list) -> list:
    for pause, resumption in pauses:
        if pause == resumption:
            continue
        cut = []
        for start, end in parts:
            cut.append((start, min(end, pause)))
            if resumption is not None:
                cut.append((max(start, resumption), end))
        parts = [(start, end) for start, end in cut if start < end]
    return parts


def _payment(said: dict) -> str:
    return _id(said.get("payment_intent")) or (_id(said.get("charge")) if said["object"] != "charge" else said["id"])


def _has_ended(event: dict) -> bool:
    said = event["data"]["object"]
    return said["status"] in ENDED or said.get("ended_at") is not None


def _end(event: dict) -> int:
    ended_at = event["data"]["object"].get("ended_at")
    return _milliseconds(event["created"] if ended_at is None else ended_at)


def _order(event: dict) -> tuple:
    """Of two events of one time the one that ends the subscription is the newer, then the larger id."""
    return (event["created"], _has_ended(event), event["id"].encode())


class _Line:
    """One item of a subscription, with the period that runs."""

    def __init__(self, item: dict, said: dict):
        self.item = item["id"]
        self.price = item["price"]["id"]
        plans = [each.get("metadata", {}).get("plan_id") for each in (item["price"], said)]
        self.names = [name for name in (self.price, item["price"].get("lookup_key"), *plans) if name]
        self.quantity = item.get("quantity", 1)
        self.start = _milliseconds(item.get("current_period_start", said.get("current_period_start")))
        self.end = _milliseconds(item.get("current_period_end", said.get("current_period_end")))

    @property
    def key(self) -> tuple:
        return (self.item, self.price, self.start)

    @property
    def cycle(self) -> tuple:
        return (self.item, self.start)


class _Told:
    """What one event says of a subscription that has not ended."""

    def __init__(self, event: dict):
        said = event["data"]["object"]
        self.made = _milliseconds(event["created"])
        self.status = said["status"]
        self.invoice = _id(said.get("latest_invoice"))
        self.cancel_at = said.get("cancel_at")
        lines = [_Line(item, said) for item in said["items"]["data"]]
        self.lines = [line for line in lines if line.quantity != 0]
        ends = max(line.end for line in lines)
        stops = bool(said.get("cancel_at_period_end"))
        stops = stops or self.cancel_at is not None and _milliseconds(self.cancel_at) <= ends
        self.renews = self.status in ("active", "trialing", "past_due") and not stops

    def end_of(self, line: _Line) -> int:
        return line.end if self.cancel_at is None else min(line.end, _milliseconds(self.cancel_at))


class _Run:
    """A stretch for which events list one period; a period that comes back has several."""

    def __init__(self, line: _Line, begin: int):
        self.line = line
        self.begin = begin
        self.closed_at = None
        self.stated_end = line.end
        self.quantity = 1

    @property
    def end(self) -> int:
        return self.stated_end if self.closed_at is None else min(self.stated_end, self.closed_at)


def _runs(told: list) -> list:
    runs, running = [], {}
    for event in told:
        lines = {line.key: line for line in event.lines}
        new = [line for key, line in lines.items() if key not in running]
        latest = max((run.line.start for run in running.values()), default=None)
        for key in [key for key in running if key not in lines]:
            run = running.pop(key)
            heirs = [line.start for line in new if line.item == run.line.item] or [line.start for line in new]
            takes_over = min(heirs, default=None)
            run.closed_at = takes_over if takes_over is not None and takes_over > run.line.start else event.made
        for line in new:
            begin = line.start if latest is None or line.start > latest else event.made
            running[line.key] = _Run(line, begin)
            runs.append(running[line.key])
        for key, run in running.items():
            run.stated_end, run.quantity = event.end_of(lines[key]), lines[key].quantity
    return runs
