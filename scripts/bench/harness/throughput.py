"""Status, attach and restore: what a request costs the server and the lean baseline, rates and latencies."""

import os

from harness.bench import RESIDENT, Bench, interleaved, status
from harness.computation import raw_check_microseconds
from harness.load import Load, LoadFailed, again, wrk
from harness.report import Figure, median

WARM_UP_SECONDS = 2
SPARE = 1.7
# Purchases a second, until the first load has shown better.
FIRST_GUESS = 8_000
# Users whose answers every cache holds.
CACHED_USERS = 1_000


def status_of_few(bench: Bench):
    """Uniformly over as many users as an app begins with."""
    _status(bench, min(bench.arguments.few, bench.arguments.users), 5)


def status_of_many(bench: Bench):
    """Uniformly over more users than any cache holds."""
    _status(bench, bench.arguments.users, 4)


def _status(bench: Bench, users: int, at_least: float):
    bench.start_servers()
    rounds = _status_rounds(bench, [bench.gatepass, bench.lean], users)
    name = f"status, cost, {users:,} users"
    bench.report.add(against(name, rounds, "lean", at_least=at_least), tail(f"status, {users:,} users", rounds))


def ceiling(bench: Bench):
    """Answers that are all cached, beside the same HTTP server with the bytes of one."""
    bench.start_servers()
    if bench.ceiling.process is None:
        token = _first_token(bench)
        bench.ceiling.launch(status(bench.gatepass, token))
    rounds = _status_rounds(bench, [bench.gatepass, bench.ceiling], min(CACHED_USERS, bench.arguments.users))
    bench.report.add(against("status, cost, 1,000 users", rounds, "ceiling", at_least=0.60, is_wish=True))


def _first_token(bench: Bench) -> str:
    path = bench.residents(1)
    with open(path, encoding="ascii") as file:
        return file.read().split()[0]


def _status_rounds(bench: Bench, servers: list, users: int) -> list:
    arguments = bench.arguments
    requests = bench.residents(users)
    for server in servers:
        again(bench, server, requests, max(WARM_UP_SECONDS, arguments.seconds), arguments.clients)
    rounds = [
        {
            server.name: clean(
                bench, "status", server, again(bench, server, requests, arguments.seconds, arguments.clients))
            for server in interleaved(servers, number)
        }
        for number in range(arguments.rounds)
    ]
    os.unlink(requests)
    return rounds


def attach(bench: Bench):
    """In every round over other users, who have six purchases each and whose status was just read."""
    bench.start_servers()
    arguments = bench.arguments
    users = min(arguments.few, arguments.users)
    groups = max(1, arguments.users // users)
    rounds, checks = [], []
    for number in range(-1, arguments.rounds):
        first = (number + 1) % groups * users + 1
        readers = bench.residents(users, first)
        loads = {}
        for server in interleaved([bench.gatepass, bench.lean], number):
            again(bench, server, readers, WARM_UP_SECONDS, arguments.clients)
            loads[server.name] = fresh_load(
                bench, "attach", server, 1, arguments.clients, arguments.seconds, among=(users, first))
        os.unlink(readers)
        if number >= 0:
            rounds.append(loads)
            checks.append(raw_check_microseconds(bench))
    name = f"attach, cost, {users:,} users"
    bench.report.add(
        against(name, rounds, "lean", at_least=3), tail(f"attach, {users:,} users", rounds),
        _cost("attach, core time in the server", "server_cost", rounds, checks, 7),
        _cost("attach, core time in MariaDB", "database_cost", rounds, checks, 4.5))


def restore(bench: Bench):
    """By users who have nothing yet. A call of 100 items lasts long on the baseline, so there are fewer clients."""
    bench.start_servers()
    arguments = bench.arguments
    for items, clients, seconds, goal in (
        (6, arguments.clients, arguments.seconds, 7), (100, 8, max(4, arguments.seconds), 8),
    ):
        rounds = fresh_rounds(bench, [bench.gatepass, bench.lean], "restore", items, clients, seconds)
        bench.report.add(against(f"restore of {items} new, cost", rounds, "lean", at_least=goal, items=items))


def fresh_rounds(bench: Bench, servers: list, script: str, items: int, clients: int, seconds: float) -> list:
    """Rounds in which every request is by a new user about something new."""
    for server in servers:
        fresh_load(bench, script, server, items, clients, seconds)
    return [
        {
            server.name: fresh_load(bench, script, server, items, clients, seconds)
            for server in interleaved(servers, number)
        }
        for number in range(bench.arguments.rounds)
    ]


def fresh_load(
    bench: Bench, script: str, server, items: int, clients: int, seconds: float, among: tuple | None = None,
    prefix: str = RESIDENT,
) -> Load:
    """A load of requests that were never sent before, all of which must have been kept: by new users, or by those
    `among` so many from a first one on.
    """
    known = server.rates.get((script, items), FIRST_GUESS / items)
    newest = f"SELECT MAX(id) FROM {server.purchases}"
    while True:
        requests = int(known * seconds * SPARE) + 4 * clients
        path = bench.mint.among(requests, *among, prefix) if among else bench.mint.fresh(requests, items)
        before = bench.mariadb.number(newest, server.database)
        load = clean(bench, script, server, wrk(bench, script, server, path, seconds, clients))
        os.unlink(path)
        known = server.rates[script, items] = load.per_second
        if load.exhausted:
            continue
        kept = bench.mariadb.number(
            f"SELECT COUNT(*) FROM {server.purchases} WHERE id > {before} AND user_id IS NOT NULL", server.database)
        if kept < load.requests * items:
            bench.report.problem(
                f"{script}: {server.name} acknowledged {load.requests * items} purchases and kept {kept}")
        return load


def clean(bench: Bench, script: str, server, load: Load) -> Load:
    """`load`, if every request of it was answered well; else the run says so."""
    if load.requests == 0:
        raise LoadFailed(f"{script}: {server.name} answered nothing")
    if load.errors:
        bench.report.problem(f"{script}: {load.errors} of {load.requests} requests failed on {server.name}")
    return load


def costs(label: str, loads: list, items: int = 1) -> dict:
    """Medians: how many a second, and what each costs in microseconds of a core."""
    return {
        f"{label}/s": median([load.per_second * items for load in loads]),
        f"{label} us": median([load.server_cost / items for load in loads]),
        f"{label}'s MariaDB us": median([load.database_cost / items for load in loads]),
    }


def against(name: str, rounds: list, other: str, items: int = 1, **goal) -> Figure:
    """What a request (an item) costs another, over what it costs the server: core time of server and database together.
    The ratio of their rates stands beside it; the load generator's share of the machine makes it flatter."""
    ratios = [loads[other].cost / loads["gatepass"].cost for loads in rounds]
    measured = {"rates": median([loads["gatepass"].per_second / loads[other].per_second for loads in rounds])}
    for label, key in (("server", "gatepass"), (other, other)):
        measured |= costs(label, [each[key] for each in rounds], items)
    return Figure(
        name, other, median(ratios), measured=measured,
        rounds=[{key: each[key].cost / items for key in ("gatepass", other)} for each in rounds], **goal)


def tail(name: str, rounds: list) -> Figure:
    loads = [each["gatepass"] for each in rounds]
    return Figure(
        f"{name}, p99", "p50", median([load.p99 / max(load.p50, 0.001) for load in loads]), at_most=2.5,
        measured={"p50 ms": median([load.p50 for load in loads]), "p99 ms": median([load.p99 for load in loads])},
        rounds=[{"p50 ms": load.p50, "p99 ms": load.p99} for load in loads])


def _cost(name: str, kind: str, rounds: list, checks: list, at_most: float) -> Figure:
    spent = [getattr(loads["gatepass"], kind) for loads in rounds]
    return Figure(
        name, "raw P-256", median([cost / check for cost, check in zip(spent, checks)]), at_most=at_most,
        measured={"attach us": median(spent), "P-256 us": median(checks)},
        rounds=[{"attach us": cost, "P-256 us": check} for cost, check in zip(spent, checks)])
