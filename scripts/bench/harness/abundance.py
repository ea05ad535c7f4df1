"""Users who have much, beside users who have little: 50,000 spends beside 50, 1,000 purchases beside six.

One connection takes turns: an act of the user, then their status, which the act has changed. So no answer comes from
the cache of answers; the ledgers are in memory.
"""

import itertools
import os
import threading
import time

from harness.bench import PASSES_OF_USER, Bench, seed
from harness.keepalive import KeptConnection, request
from harness.load import ATTACH, RESTORE, STATUS, LoadFailed, again, exchange
from harness.minting import read_requests, user_of
from harness.processes import processor_seconds
from harness.report import Figure, median
from harness.spends import FEW_SPENDS, MANY_SPENDS, Spenders
from harness.throughput import clean, fresh_load

MANY_PURCHASES, PURCHASES_A_CALL = 1_000, 500
# Users with little, so that none of them comes to have much while they are measured.
SMALL_USERS = 20
# At most so many in a round: in a day a user may spend 2,000 times.
TURNS_OF_ROUND = 150
# Acts a second of one user while the others are measured, each with a status after it.
PACE = 10


class Turns:
    """The acts of some users who take turns, and what they took."""

    def __init__(self, label: str, acts):
        self.label = label
        # Pairs of requests without end: the act, and the status after it.
        self._acts = acts

    def once(self, connection: KeptConnection) -> tuple:
        """How many milliseconds the act and the status took."""
        taken = []
        for message in next(self._acts):
            started = time.perf_counter_ns()
            code, body = connection.ask(message)
            taken.append((time.perf_counter_ns() - started) / 1e6)
            if code not in (200, 201):
                raise LoadFailed(f"{self.label}: {code} {body[:300]!r}")
        return tuple(taken)


def spends(bench: Bench):
    bench.start_servers()
    spenders = Spenders(bench)
    small = Turns(f"{FEW_SPENDS} spends", _spend(spenders.few(SMALL_USERS)))
    large = Turns(f"{MANY_SPENDS:,} spends", _spend([spenders.many()]))
    _beside_each_other(bench, "spend", small, large, 2)
    _others(bench, small, large)


def purchases(bench: Bench):
    bench.start_servers()
    calls = bench.mint.fresh(1, MANY_PURCHASES)
    (token, texts), = read_requests(calls)
    os.unlink(calls)
    for first in range(0, MANY_PURCHASES, PURCHASES_A_CALL):
        seed(bench.gatepass, [(token, texts[first:first + PURCHASES_A_CALL])])
    others = bench.mint.fresh(SMALL_USERS, PASSES_OF_USER)
    users = read_requests(others)
    os.unlink(others)
    seed(bench.gatepass, users)
    small = Turns(f"{PASSES_OF_USER} purchases", _attach(bench, [each for each, _ in users]))
    large = Turns(f"{MANY_PURCHASES:,} purchases", _attach(bench, [token]))
    _beside_each_other(bench, "attach", small, large, None)
    _others(bench, small, large)


def _spend(tokens: list):
    for number, token in enumerate(itertools.cycle(tokens)):
        body = {"amount": 1, "reference": "bench"}
        yield (
            request("POST", "/api/credits/credit/spend", token, body, **{"Idempotency-Key": f"turn-{number}"}),
            request("GET", STATUS, token),
        )


def _attach(bench: Bench, tokens: list):
    tokens = itertools.cycle(tokens)
    while True:
        path = bench.mint.fresh(200)
        fresh = read_requests(path)
        os.unlink(path)
        for _, (text,) in fresh:
            token = next(tokens)
            yield request("POST", ATTACH, token, {"signedTransactionJWS": text}), request("GET", STATUS, token)


def _beside_each_other(bench: Bench, act: str, small: Turns, large: Turns, at_most: float | None):
    groups = (bench.gatepass.process.pid, bench.mariadb.process.pid)
    rounds = []
    with KeptConnection(bench.gatepass) as connection:
        for turns in (small, large):
            for _ in range(SMALL_USERS):
                turns.once(connection)
        for number in range(bench.arguments.rounds):
            found = {}
            for turns in (small, large) if number % 2 == 0 else (large, small):
                before = [processor_seconds(group) for group in groups]
                deadline, taken = time.monotonic() + bench.arguments.seconds / 2, []
                while time.monotonic() < deadline and len(taken) < TURNS_OF_ROUND:
                    taken.append(turns.once(connection))
                spent = [(processor_seconds(group) - start) * 1e6 / len(taken) for group, start in zip(groups, before)]
                found[turns.label] = [median([pair[place] for pair in taken]) for place in (0, 1)] + spent
            rounds.append(found)
    for place, name in enumerate((act, f"status after a {act}" if act == "spend" else f"status after an {act}")):
        bench.report.add(
            Figure(
                f"{name}, user with {large.label}, p50", small.label,
                median([each[large.label][place] / each[small.label][place] for each in rounds]), at_most=at_most,
                measured={
                    f"{turns.label}, {what}": median([each[turns.label][index] for each in rounds])
                    for turns in (large, small)
                    for index, what in ((place, "ms"), (2, "us of both"), (3, "MariaDB us of both"))
                }, rounds=[{label: values[place] for label, values in each.items()} for each in rounds]))


def _others(bench: Bench, small: Turns, large: Turns):
    """What everybody else waits while one user acts as often as is allowed."""
    arguments = bench.arguments
    readers = bench.residents(min(arguments.few, arguments.users))
    rounds = []
    for number in range(arguments.rounds):
        found = {}
        for turns in (small, large) if number % 2 == 0 else (large, small):
            with _Pace(bench, turns):
                found[turns.label] = {
                    "status": clean(
                        bench, "status", bench.gatepass,
                        again(bench, bench.gatepass, readers, arguments.seconds, arguments.clients)),
                    "attach": fresh_load(
                        bench, "attach", bench.gatepass, 1, arguments.clients, arguments.seconds),
                }
        rounds.append(found)
    os.unlink(readers)
    for kind in ("status", "attach"):
        taken = {turns.label: [each[turns.label][kind] for each in rounds] for turns in (small, large)}
        bench.report.add(
            Figure(
                f"others' {kind}, p50, beside a user with {large.label}", small.label,
                median([one.p50 / other.p50 for one, other in zip(taken[large.label], taken[small.label])]),
                at_most=1.2,
                measured={
                    f"{label}, {what}": median([getattr(load, field) for load in loads])
                    for label, loads in taken.items()
                    for what, field in (
                        ("p50 ms", "p50"), ("p99 ms", "p99"), ("/s", "per_second"), ("us", "server_cost"),
                        ("MariaDB us", "database_cost"))
                }))


class _Pace:
    """Acts of one user at a constant pace, in a thread, while the context lasts."""

    def __init__(self, bench: Bench, turns: Turns):
        self._bench, self._turns = bench, turns
        self._over = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        if self._failure:
            self._bench.report.problem(f"{self._turns.label}: {self._failure}")

    def _run(self):
        try:
            with KeptConnection(self._bench.gatepass) as connection:
                due = time.monotonic()
                while not self._over.wait(max(0.0, due - time.monotonic())):
                    self._turns.once(connection)
                    due = max(due + 1 / PACE, time.monotonic())
        except (OSError, LoadFailed) as failure:
            self._failure = failure
