"""Status and attach at two instances while the access of many people ends within a minute."""

import asyncio
import os
import random
import threading
import time

from harness.bench import Bench, interleaved, seed
from harness.keepalive import request
from harness.load import ATTACH, STATUS, LoadFailed, again
from harness.minting import read_requests
from harness.openload import Deliveries, Sender
from harness.population import SHIFT
from harness.processes import processor_seconds
from harness.report import Figure, median, percentile
from harness.servers import Gatepass

PEOPLE = 20_000
SPREAD_SECONDS = 60
# Longer than the ends, so that the last rows are made anew while the load lasts.
LOAD_SECONDS = SPREAD_SECONDS + 15
# The load begins so much before the first end, so that no row is made anew before rows are counted.
EARLY_SECONDS = 3
# Requests a second, half of them to each instance.
RATES = {"status": 200, "attach": 100}
WARM_UP_SECONDS = 5
# For the copies and the start before the first turn, and for what is between the turns.
LEAD_SECONDS, GAP_SECONDS = 180, 15
LOOK_SECONDS, PATIENCE_SECONDS = 0.5, 180
# What stands before a user's number.
PREFIX = "e"


class Turn:
    """The loads of one turn by their kind, and what became of the standings meanwhile."""

    def __init__(self):
        self.loads = {kind: Deliveries() for kind in RATES}
        # Rows of `standing_answers` that were written, without those of the attaches.
        self.moves = 0
        # Seconds: the greatest lateness that was seen of a row, and from the begin until none was late.
        self.late = self.over = 0.0
        # Seconds of a core that the instances and MariaDB computed.
        self.server = self.database = 0.0


def ends(bench: Bench):
    """In each round a database of its own, with one pass for each user, and two turns of the same load.

    In one turn the access of people ends evenly over a minute. The control is the turn without ends. Statuses are of
    all, attaches are by others, each once, so every row that was written beyond the attaches is a move.
    """
    bench.start_database()
    bench.mariadb.execute("SET GLOBAL userstat = ON")
    servers = [Gatepass(bench, "ends", f"gatepass-ends-{number}") for number in (1, 2)]
    try:
        _report(bench, [_round(bench, servers, number) for number in range(bench.arguments.rounds)])
    finally:
        for server in servers:
            server.stop()
        bench.mariadb.execute("SET GLOBAL userstat = OFF")


def _round(bench: Bench, servers: list, number: int) -> dict:
    people, attaches = _people(bench), RATES["attach"] * LOAD_SECONDS
    users = people + 2 * attaches
    order = interleaved(["control", "ends"], number)
    readers = bench.mint.tokens(users, 1, 1, PREFIX)
    statuses = [request("GET", STATUS, token) for token, _ in read_requests(readers)]
    acts = [_attaches(bench, attaches, people + 1 + turn * attaches) for turn in range(len(order))]
    _begin(bench, servers[0])
    first_end = time.time() + LEAD_SECONDS + order.index("ends") * (LOAD_SECONDS + GAP_SECONDS)
    _fill(bench, servers[0], users, people, int(first_end * 1000))
    for server in servers:
        server.launch()
        again(bench, server, readers, WARM_UP_SECONDS, bench.arguments.clients)
    os.unlink(readers)
    turns = {}
    for kind, turn in zip(order, acts):
        if kind == "ends":
            left = first_end - EARLY_SECONDS - time.time()
            if left < 0:
                raise LoadFailed("the turn comes too late for its ends: the machine is too busy")
            time.sleep(left)
        turns[kind] = _turn(bench, servers, {
            "status": random.choices(statuses, k=RATES["status"] * LOAD_SECONDS), "attach": turn})
    for server in servers:
        server.stop()
    ended = bench.mariadb.number("SELECT COUNT(*) FROM standings WHERE state = 'expired'", servers[0].database)
    if ended != people:
        bench.report.problem(f"ends: the rows of {ended} of {people} people say so")
    if turns["control"].moves or turns["control"].late:
        bench.report.problem("ends: rows were made anew in the control")
    return turns


def _people(bench: Bench) -> int:
    return min(PEOPLE, bench.arguments.users)


def _begin(bench: Bench, server: Gatepass):
    """Makes the database with one user."""
    bench.mariadb.create(server.database)
    server.launch()
    path = bench.mint.fresh(1)
    seed(server, read_requests(path))
    os.unlink(path)
    server.stop()


def _fill(bench: Bench, server: Gatepass, users: int, people: int, first_end: int):
    """Copies the user; the access of the first `people` copies ends from `first_end` on, in no order of their rows."""
    end = bench.mariadb.number("SELECT expires_at FROM subscriptions", server.database)
    into_minute = f"s.seq * 7919 % {people} * {SPREAD_SECONDS * 1000} DIV {people}"
    server.copy_user(PREFIX, users, f"IF(s.seq <= {people}, {end - first_end} - {into_minute}, {SHIFT})")
    bench.mariadb.settle()


def _attaches(bench: Bench, count: int, first: int) -> list:
    path = bench.mint.by(count, first, PREFIX)
    requests = read_requests(path)
    os.unlink(path)
    return [request("POST", ATTACH, token, {"signedTransactionJWS": text}) for token, (text,) in requests]


def _turn(bench: Bench, servers: list, requests: dict) -> Turn:
    turn, started = Turn(), time.monotonic()
    groups = [server.process.pid for server in servers], [bench.mariadb.process.pid]
    before = [sum(map(processor_seconds, group)) for group in groups]
    written = _written(bench, servers[0])
    with Watch(bench, servers[0].database) as watch:
        asyncio.run(_send(servers, requests, turn.loads))
        turn.server, turn.database = (
            sum(map(processor_seconds, group)) - start for group, start in zip(groups, before))
        watch.rest()
    turn.late, turn.over = watch.greatest, watch.seen_last - started
    turn.moves = _written(bench, servers[0]) - written - len(requests["attach"])
    for kind, done in turn.loads.items():
        if set(done.results) - {"200", "201"}:
            bench.report.problem(f"ends, {kind}: {dict(done.results)}")
    return turn


async def _send(servers: list, requests: dict, loads: dict):
    start = asyncio.get_running_loop().time() + 1
    await asyncio.gather(*(
        Sender(server.port, loads[kind]).send(requests[kind][place::len(servers)], rate / len(servers), 0, start)
        for kind, rate in RATES.items() for place, server in enumerate(servers)))


def _written(bench: Bench, server: Gatepass) -> int:
    """How many rows of `standing_answers` were inserted or updated so far."""
    return bench.mariadb.number(
        "SELECT COALESCE(SUM(rows_changed), 0) FROM information_schema.table_statistics "
        f"WHERE table_schema = '{server.database}' AND table_name = 'standing_answers'", server.database)


class Watch:
    """Looks while the context lasts how late the first standing is whose time is over."""

    def __init__(self, bench: Bench, database: str):
        self._bench, self._database = bench, database
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.greatest, self.seen_last = 0.0, time.monotonic()

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def rest(self):
        """Waits until no standing is late."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._look() and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)

    def _run(self):
        while not self._over.wait(LOOK_SECONDS):
            self._look()

    def _look(self) -> bool:
        told = self._bench.mariadb.execute(
            "SELECT UNIX_TIMESTAMP(NOW(3)) - MIN(valid_until) / 1000 FROM standing_answers GROUP BY basis",
            self._database)
        late = max(map(float, told.split()))
        if late <= 0:
            return False
        self.greatest, self.seen_last = max(self.greatest, late), time.monotonic()
        return True


def _report(bench: Bench, rounds: list):
    people = _people(bench)
    control, beside = ([turns[kind] for turns in rounds] for kind in ("control", "ends"))
    for kind, rate in RATES.items():
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            pairs = [
                [percentile(turn.loads[kind].latencies, share) for turn in pair] for pair in zip(beside, control)]
            bench.report.add(
                Figure(
                    f"{kind}, {name}, beside {people:,} ends", f"{rate}/s without ends",
                    median([one / other for one, other in pairs]), at_most=1.5, is_wish=True,
                    measured={"beside ms": median([one for one, _ in pairs]), "control ms": median(
                        [other for _, other in pairs])},
                    rounds=[{"beside ms": one, "control ms": other} for one, other in pairs]))
    bench.report.add(
        Figure(
            "standing made anew after its time, worst", f"{people:,} ends in {SPREAD_SECONDS} s, two instances",
            max(turn.late for turn in beside), "s", at_most=60,
            measured={
                "until none was late s": max(turn.over for turn in beside),
                "server us a row": median([
                    (one.server - other.server) * 1e6 / people for one, other in zip(beside, control)]),
                "MariaDB us a row": median([
                    (one.database - other.database) * 1e6 / people for one, other in zip(beside, control)]),
                "sent late by ms, p99, beside": max(map(_sent_late, beside)),
                "control": max(map(_sent_late, control)),
            },
            rounds=[
                {"late s": turn.late, "over s": turn.over, "server s": turn.server, "MariaDB s": turn.database,
                 "control's server s": other.server, "control's MariaDB s": other.database}
                for turn, other in zip(beside, control)]),
        Figure(
            "times a row was made anew, most", "once each", max(turn.moves for turn in beside) / people, "x",
            at_most=1, measured={"rows": max(turn.moves for turn in beside)},
            rounds=[{"rows": turn.moves} for turn in beside]))


def _sent_late(turn: Turn) -> float:
    """How late the load itself was, which tells how busy the machine is with other things."""
    return percentile([late for done in turn.loads.values() for late in done.late], 0.99)
