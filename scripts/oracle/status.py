"""Says what each user has, from what the stores signed and what operators did, without the server or its database.

    status.py CATALOGUE INPUTS ANSWERS [--sandbox everyone|testers|nobody]

Written from docs/semantics.md, docs/stripe.md and api.md alone, so that it shares no error with the server;
EndToEndOracleTests compares the two. It has one version of the catalogue and one app, and neither transfers nor
reservations. CATALOGUE is the catalogue as JSON. INPUTS are lines of JSON in the order of their arrival, each of
    {"attach": compact JWS, "user"}            a transaction that a user showed
    {"notification": compact JWS}              what Apple sent
    {"event": body}                            what Stripe sent
    {"token": UUID, "user"}                    an account token that was issued
    {"grant": request, "id", "at_ms", "user"}  what an operator gave, and when
    {"revoke": external id, "at_ms", "user"}   what an operator took back
    {"spend": {"unit", "amount"}, "at_ms", "user"}
    {"tester": true or false, "at_ms", "user"}
    {"ask": [instants], "user"}                what to answer
ANSWERS are lines {"user", "at_ms", "status", "check"}, in the order of the questions.
"""

import argparse
import json
from collections import defaultdict
from datetime import datetime

import apple
import coverage
from answer import User
from cards import Cards
from catalogue import DAY, Catalogue
from holdings import AddOn, Lot, Pass, Period, Plan
from renewals import words
from shares import Share


class World:
    """All that was told, and what follows from it."""

    def __init__(self, catalogue: Catalogue, sandbox: str, leeway: int, grace: int, user_key: str):
        self.catalogue = catalogue
        self.sandbox = sandbox
        self.leeway = leeway
        self.cards = Cards(catalogue, user_key, grace, leeway)
        self.transactions = defaultdict(list)
        self.renewals = defaultdict(list)
        self.claims = {}  # an App Store purchase → its user
        self.tokens = {}
        self.grants = defaultdict(list)
        self.revokes = {}  # (user, external id) → when
        self.spends = defaultdict(list)
        self.testers = defaultdict(list)
        self.questions = []

    # Reading

    def read(self, line: dict):
        user = line.get("user")
        if "attach" in line:
            said = apple.payload(line["attach"])
            self._state(said)
            named = self.tokens.get(said.get("appAccountToken", "").lower(), user)
            if named == user:
                self.claims.setdefault(apple.key(said), user)
        elif "notification" in line:
            self._notification(apple.payload(line["notification"]))
        elif "event" in line:
            self.cards.read(json.loads(line["event"]))
        elif "token" in line:
            self.tokens[line["token"].lower()] = user
        elif "grant" in line:
            self.grants[user].append(line)
        elif "revoke" in line:
            self.revokes.setdefault((user, line["revoke"]), line["at_ms"])
        elif "spend" in line:
            self.spends[user].append((line["at_ms"], line["spend"]["unit"], line["spend"]["amount"]))
        elif "tester" in line:
            self.testers[user].append((line["at_ms"], line["tester"]))
        elif "ask" in line:
            self.questions.append((user, line["ask"]))

    def _state(self, said: dict):
        states = self.transactions[apple.key(said)]
        if said not in states:
            states.append(said)

    def _notification(self, notification: dict):
        data = notification.get("data", {})
        if "signedTransactionInfo" not in data:
            return
        said = apple.payload(data["signedTransactionInfo"])
        self._state(said)
        key = apple.key(said)
        named = self.tokens.get(said.get("appAccountToken", "").lower())
        if named is not None:
            self.claims.setdefault(key, named)
        if "signedRenewalInfo" in data:
            self.renewals[key].append((apple.payload(data["signedRenewalInfo"]), words(notification)))

    # Answering

    def users(self) -> dict:
        held = defaultdict(list)
        for key, user in self.claims.items():
            withdrawn_at = self.revokes.get((user, key[2]))
            held[user].append(
                apple.holding(self.transactions[key], self.renewals[key], withdrawn_at, self.catalogue, self.leeway)
            )
        for key in self.cards.keys():
            user = self.cards.user(key)
            if user is not None:
                held[user].append(self.cards.holding(key, self.revokes.get((user, key[2]))))
        for user, lines in self.grants.items():
            held[user] += [self._granted(line, self.revokes.get((user, line["id"]))) for line in lines]
        return held

    def _granted(self, line: dict, withdrawn_at: int | None):
        asked, at = line["grant"], line["at_ms"]
        share = Share([], withdrawn_at)
        kind = asked["kind"]
        name = ("manual", "Production", line["id"])
        tier = self.catalogue.tiers.get(asked.get("tier"))
        if kind == "add_days":
            return Pass(*name, None, None, None, "pass", anchor=at, length=asked["days"] * DAY, tier=tier, share=share)
        if kind == "until":
            until = int(datetime.fromisoformat(asked["until"]).timestamp()) * 1_000
            parts = share.open_parts(at, until)
            period = Period(at, until, parts, tier, product=None, product_id=None, store_id=None, share=share)
            return Plan(*name, None, None, None, "plan", periods=[period])
        if kind == "add_on":
            product = self.catalogue.by_id[asked["product_id"]]
            return AddOn(*name, product, product.id, None, "add_on", anchor=at, share=share)
        unit, amount = asked["unit"], asked["amount"]
        return Lot(*name, None, None, None, "consumable", anchor=at, unit=unit, amount=amount, share=share)

    def _counts_sandbox(self, user: str):
        changes = sorted(self.testers[user])

        def counts(instant: int) -> bool:
            if self.sandbox != "testers":
                return self.sandbox == "everyone"
            return ([False] + [named for at, named in changes if at <= instant])[-1]

        return counts

    def answers(self):
        held = self.users()
        for name, instants in self.questions:
            pieces = coverage.pieces([each for each in held[name] if each.reason is None], self.catalogue)
            counts = self._counts_sandbox(name)
            user = User(name, held[name], pieces, self.spends[name], counts, self.catalogue)
            for instant in instants:
                status = user.status(instant)
                yield {"user": name, "at_ms": instant, "status": status, "check": user.check(instant, status)}


def main():
    options = argparse.ArgumentParser()
    for file in ("catalogue", "inputs", "answers"):
        options.add_argument(file)
    options.add_argument("--sandbox", choices=["everyone", "testers", "nobody"], default="everyone")
    options.add_argument("--leeway-hours", type=int, default=24)
    options.add_argument("--grace-days", type=int, default=14)
    options.add_argument("--user-key", default="user_id")
    given = options.parse_args()
    with open(given.catalogue, encoding="utf-8") as file:
        catalogue = Catalogue(json.load(file))
    leeway, grace = given.leeway_hours * DAY // 24, given.grace_days * DAY
    world = World(catalogue, given.sandbox, leeway, grace, given.user_key)
    with open(given.inputs, encoding="utf-8") as file:
        for line in file:
            world.read(json.loads(line))
    with open(given.answers, "w", encoding="utf-8") as file:
        for answer in world.answers():
            print(json.dumps(answer), file=file)


if __name__ == "__main__":
    main()
