"""How soon a notification is acknowledged, at 100 a second."""

import time

from harness.bench import Bench
from harness.openload import Deliveries, deliver
from harness.report import Figure, median, percentile

RATE = 100
# How much longer a round is than elsewhere, so that a hundredth of it is more than a few deliveries.
LONGER = 2
# Numbers that no other user and no other transaction of the run has.
FIRST_USER = 100_000_000


def webhook(bench: Bench):
    """New purchases and renewals by turns, each about a user of its own.

    Warm: Apple's chain was seen before. Cold: the server was started just before, and each delivery is signed under an
    intermediate and a leaf that it has never seen, so that no cache of chains helps.
    """
    bench.start_servers()
    pairs = int(RATE * LONGER * bench.arguments.seconds / 2)
    first, at = FIRST_USER, time.time_ns() // 1_000_000
    rounds: dict = {"warm": [], "cold": []}
    for number in range(bench.arguments.rounds):
        for chain in ("warm", "cold") if number % 2 == 0 else ("cold", "warm"):
            rounds[chain].append(_round(bench, chain, pairs, first, at))
            first += 2 * pairs
    for chain, done in rounds.items():
        bench.report.add(_figure(chain, done))


def _round(bench: Bench, chain: str, pairs: int, first: int, at: int) -> Deliveries:
    mint, server = bench.mint, bench.gatepass
    is_cold = chain == "cold"
    begun = deliver(bench, server, mint.notifications("subscription", pairs, first, at))
    _expect_applied(bench, "subscriptions", begun)
    renewals = mint.notifications("renewal", pairs, first, at, is_cold)
    charges = mint.notifications("charge", pairs, first + pairs, at, is_cold)
    if is_cold:
        server.stop()
        server.launch()
    newest = bench.mariadb.number("SELECT MAX(id) FROM inbox_deliveries", server.database)
    done = deliver(bench, server, [text for pair in zip(charges, renewals) for text in pair], RATE)
    _expect_applied(bench, chain, done)
    kept = bench.mariadb.number(
        f"SELECT COUNT(*) FROM inbox_deliveries WHERE id > {newest} AND state = 'applied'", server.database)
    if kept < done.results["applied"]:
        bench.report.problem(f"webhook: {done.results['applied']} were acknowledged as applied and {kept} are kept so")
    return done


def _expect_applied(bench: Bench, what: str, done: Deliveries):
    if set(done.results) != {"applied"}:
        bench.report.problem(f"webhook, {what}: {dict(done.results)}")


def _figure(chain: str, rounds: list) -> Figure:
    latencies = [latency for each in rounds for latency in each.latencies]
    return Figure(
        f"webhook acknowledged, p99, {chain} chains", f"{RATE}/s, open loop", percentile(latencies, 0.99), "ms",
        at_most=200,
        measured={
            "deliveries": len(latencies), "p50 ms": percentile(latencies, 0.5), "max ms": max(latencies),
            "server us": median([each.server_cost for each in rounds]),
            "server's MariaDB us": median([each.database_cost for each in rounds]),
            "sent late by ms, p99": percentile([late for each in rounds for late in each.late], 0.99),
        },
        rounds=[
            {"p50 ms": percentile(each.latencies, 0.5), "p99 ms": percentile(each.latencies, 0.99)}
            for each in rounds])
