"""How soon what a store delivers is acknowledged, at 100 a second."""

import time

from harness import cards
from harness.bench import Bench
from harness.openload import Deliveries, deliver, notification
from harness.report import Figure, median, percentile

RATE = 100
# How much longer a round is than elsewhere, so that a hundredth of it is more than a few deliveries.
LONGER = 2
# Numbers that no other user and no other transaction of the run has.
FIRST_USER = 100_000_000


def webhook(bench: Bench):
    """New purchases and renewals by turns, each about a user of its own.

    Warm: Apple's chain was seen before. Cold: the server was started just before, and each delivery is signed under an
    intermediate and a leaf that it has never seen, so that no cache of chains helps. Cards: passes that were bought and
    subscriptions that renew, as Stripe tells of them.
    """
    bench.start_servers()
    pairs = int(RATE * LONGER * bench.arguments.seconds / 2)
    first, at = FIRST_USER, time.time_ns() // 1_000_000
    kinds = {"warm chains": False, "cold chains": True, "cards": None}
    rounds: dict = {kind: [] for kind in kinds}
    for number in range(bench.arguments.rounds):
        for kind in list(kinds) if number % 2 == 0 else reversed(list(kinds)):
            rounds[kind].append(_round(bench, kind, kinds[kind], pairs, first, at))
            first += 2 * pairs
    for kind, done in rounds.items():
        bench.report.add(_figure(kind, done))


def _round(bench: Bench, kind: str, is_cold: bool | None, pairs: int, first: int, at: int) -> Deliveries:
    mint, server = bench.mint, bench.gatepass

    def notifications(*event) -> list:
        return [notification(text) for text in mint.notifications(*event)]

    if is_cold is None:
        begun = deliver(bench, server, cards.subscriptions(first, pairs))
        renewals, bought = cards.subscriptions(first, pairs, month=1), cards.checkouts(first + pairs, pairs)
    else:
        begun = deliver(bench, server, notifications("subscription", pairs, first, at))
        renewals = notifications("renewal", pairs, first, at, is_cold)
        bought = notifications("charge", pairs, first + pairs, at, is_cold)
    _expect_applied(bench, "subscriptions", begun)
    if is_cold:
        server.stop()
        server.launch()
    newest = bench.mariadb.number("SELECT MAX(id) FROM inbox_deliveries", server.database)
    done = deliver(bench, server, [request for pair in zip(bought, renewals) for request in pair], RATE)
    _expect_applied(bench, kind, done)
    kept = bench.mariadb.number(
        f"SELECT COUNT(*) FROM inbox_deliveries WHERE id > {newest} AND state = 'applied'", server.database)
    if kept < done.results["applied"]:
        bench.report.problem(f"webhook: {done.results['applied']} were acknowledged as applied and {kept} are kept so")
    return done


def _expect_applied(bench: Bench, what: str, done: Deliveries):
    if set(done.results) != {"applied"}:
        bench.report.problem(f"webhook, {what}: {dict(done.results)}")


def _figure(kind: str, rounds: list) -> Figure:
    latencies = [latency for each in rounds for latency in each.latencies]
    return Figure(
        f"webhook acknowledged, p99, {kind}", f"{RATE}/s, open loop", percentile(latencies, 0.99), "ms",
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
