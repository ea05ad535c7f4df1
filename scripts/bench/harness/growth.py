"""Status and attach on small and large databases, over as many users as each has."""

import os

from harness.bench import Bench, interleaved, seed
from harness.load import again
from harness.minting import read_requests
from harness.report import Figure, median
from harness.servers import Gatepass
from harness.throughput import clean, costs, fresh_load

PASSES_OF_USER = 3
# So many users are drawn evenly from those of a database that has more.
SAMPLED_USERS = 200_000
WARM_UP_SECONDS = 3
# What stands before a user's number.
PREFIX = "g"


def growth(bench: Bench):
    bench.start_database()
    sizes, arguments = bench.arguments.sizes, bench.arguments
    servers = [_filled(bench, size) for size in sizes]
    bench.mariadb.settle()
    few = _users(sizes[0])
    readers = {}
    for size, server in zip(sizes, servers):
        server.launch()
        readers[server.name] = {
            "status": _tokens(bench, size, SAMPLED_USERS), "status of few": _tokens(bench, size, few)}
        again(bench, server, readers[server.name]["status"], WARM_UP_SECONDS, arguments.clients)
    rounds = []
    for number in range(arguments.rounds):
        loads = {}
        for size, server in interleaved(list(zip(sizes, servers)), number):
            loads[server.name] = {
                kind: clean(bench, "growth", server, again(bench, server, path, arguments.seconds, arguments.clients))
                for kind, path in readers[server.name].items()
            } | {
                "attach": fresh_load(
                    bench, "attach", server, 1, arguments.clients, arguments.seconds, among=(_users(size), 1),
                    prefix=PREFIX)
            }
        rounds.append(loads)
    for server in servers:
        server.stop()
    for size, server in list(zip(sizes, servers))[1:]:
        for kind, who, goal in (
            ("status", "of all users", 1.2), ("status of few", f"of {few:,} of the users", None),
            ("attach", "by all users", 1.2),
        ):
            loads = [[each[name][kind] for each in rounds] for name in (servers[0].name, server.name)]
            _report(bench, f"{kind.split()[0]} {who}", size, loads, goal)


def _report(bench: Bench, name: str, size: int, loads: list, at_most: float | None):
    """By the clock, which waits for disks and neighbours, and by what server and MariaDB compute, which does not."""
    small, large = loads
    for label, cost in (
        ("time", lambda load: 1e6 / load.per_second),
        ("core time", lambda load: load.server_cost + load.database_cost),
    ):
        bench.report.add(
            Figure(
                f"{name}, {label}, {size:,} purchases", f"{bench.arguments.sizes[0]:,} purchases",
                median([cost(one) / cost(other) for one, other in zip(large, small)]), at_most=at_most,
                measured=costs("large", large) | costs("small", small),
                rounds=[{"large us": cost(one), "small us": cost(other)} for one, other in zip(large, small)]))


def _users(size: int) -> int:
    return size // PASSES_OF_USER


def _tokens(bench: Bench, size: int, at_most: int) -> str:
    sampled = min(at_most, _users(size))
    return bench.mint.tokens(sampled, 1, max(1, _users(size) // sampled), PREFIX)


def _filled(bench: Bench, size: int) -> Gatepass:
    """A schema with `size` purchases, three a user: copies of one user that the server itself recorded."""
    server = Gatepass(bench, f"growth_{size}", f"gatepass-{size}")
    bench.mariadb.create(server.database)
    server.launch()
    path = bench.mint.fresh(1, PASSES_OF_USER)
    seed(server, read_requests(path))
    os.unlink(path)
    server.stop()
    server.copy_user(PREFIX, _users(size))
    return server
