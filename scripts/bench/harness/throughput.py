"""Status, attach and restore: requests a second of the server, the ceiling and the baseline, and their latencies."""

import os

from harness.bench import Bench, interleaved
from harness.load import Load, LoadFailed, again, wrk
from harness.report import Figure, median

WARM_UP_SECONDS = 1
SPARE = 1.7
# Purchases a second, until the first load has shown better.
FIRST_GUESS = 8_000


def status(bench: Bench):
    bench.start_servers()
    servers = [bench.gatepass, bench.ceiling, bench.baseline]
    for server in servers:
        again(bench, server, bench.status_requests, WARM_UP_SECONDS, bench.arguments.clients)
    rounds = []
    for number in range(bench.arguments.rounds):
        loads = {}
        for server in interleaved(servers, number):
            loads[server.name] = clean(
                bench, "status", server,
                again(bench, server, bench.status_requests, bench.arguments.seconds, bench.arguments.clients))
        rounds.append(loads)
    bench.report.add(
        _against("status/s : ceiling", rounds, "ceiling", 0.60), _against("status/s : baseline", rounds, "baseline", 5),
        _tail("status", rounds))


def attach(bench: Bench):
    bench.start_servers()
    rounds = _fresh_rounds(bench, "attach", 1, bench.arguments.clients, bench.arguments.seconds)
    bench.report.add(_against("attach/s : baseline", rounds, "baseline", 7), _tail("attach", rounds))


def restore(bench: Bench):
    """A call of 100 items lasts about a second on the baseline, so there are fewer clients and longer rounds."""
    bench.start_servers()
    arguments = bench.arguments
    for items, clients, seconds in ((6, arguments.clients, arguments.seconds), (100, 8, max(4, arguments.seconds))):
        rounds = _fresh_rounds(bench, "restore", items, clients, seconds)
        bench.report.add(_against(f"restore, JWS/s, {items} a call : baseline", rounds, "baseline", 8, items))


def _fresh_rounds(bench: Bench, script: str, items: int, clients: int, seconds: float) -> list:
    """Rounds in which every request is about something new."""
    servers = [bench.gatepass, bench.baseline]
    for server in servers:
        fresh_load(bench, script, server, items, clients, max(WARM_UP_SECONDS, seconds / 2))
    return [
        {
            server.name: fresh_load(bench, script, server, items, clients, seconds)
            for server in interleaved(servers, number)
        }
        for number in range(bench.arguments.rounds)
    ]


def fresh_load(bench: Bench, script: str, server, items: int, clients: int, seconds: float) -> Load:
    """A load of requests that were never sent before, all of which must have been kept."""
    known = server.rates.get((script, items), FIRST_GUESS / items)
    while True:
        path = bench.mint.fresh(int(known * seconds * SPARE) + 4 * clients, items)
        before = bench.mariadb.number(_BOUND, server.database)
        load = clean(bench, script, server, wrk(bench, script, server, path, seconds, clients))
        os.unlink(path)
        known = server.rates[script, items] = load.per_second
        if load.exhausted:
            continue
        kept = bench.mariadb.number(_BOUND, server.database) - before
        if kept < load.requests * items:
            bench.report.problem(
                f"{script}: {server.name} acknowledged {load.requests * items} purchases and kept {kept}")
        return load


_BOUND = "SELECT COUNT(*) FROM purchases WHERE user_id IS NOT NULL"


def clean(bench: Bench, script: str, server, load: Load) -> Load:
    """`load`, if every request of it was answered well; else the run says so."""
    if load.requests == 0:
        raise LoadFailed(f"{script}: {server.name} answered nothing")
    if load.errors:
        bench.report.problem(f"{script}: {load.errors} of {load.requests} requests failed on {server.name}")
    return load


def _against(name: str, rounds: list, other: str, at_least: float, items: int = 1) -> Figure:
    """The server's rate over another's, and what a request (an item) costs each in microseconds of a core."""
    ratios = [loads["gatepass"].per_second / loads[other].per_second for loads in rounds]
    measured = {}
    for label, key in (("server", "gatepass"), (other, other)):
        loads = [each[key] for each in rounds]
        measured[label + "/s"] = median([load.per_second * items for load in loads])
        measured[label + " us"] = median([load.server_cost / items for load in loads])
        if other != "ceiling":
            measured[label + "'s MariaDB us"] = median(
                [load.database_cost / items for load in loads])
    return Figure(
        name, median(ratios), at_least=at_least, measured=measured,
        rounds=[{key: each[key].per_second * items for key in ("gatepass", other)} for each in rounds])


def _tail(name: str, rounds: list) -> Figure:
    loads = [each["gatepass"] for each in rounds]
    return Figure(
        f"{name} p99 : p50", median([load.p99 / max(load.p50, 0.001) for load in loads]), at_most=4,
        measured={"p50 ms": median([load.p50 for load in loads]), "p99 ms": median([load.p99 for load in loads])})
