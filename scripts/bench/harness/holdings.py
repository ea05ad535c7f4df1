"""Credits and devices: the latencies of reading them beside a status, of changing them beside an attach."""

import json

from harness.bench import Bench
from harness.load import STATUS, LoadFailed, again, exchange
from harness.minting import read_requests, user_of
from harness.report import Figure, median
from harness.throughput import clean, costs, fresh_load

HOLDERS = 1_000
CREDITS = 1_000_000
SPEND = json.dumps({"amount": 1, "reference": "bench"})
READS = {"status": STATUS, "credits": "/api/credits", "devices": "/api/devices"}
WARM_UP_SECONDS = 1


def holdings(bench: Bench):
    bench.start_servers()
    server, arguments = bench.gatepass, bench.arguments
    requests = bench.mint.fresh(min(HOLDERS, arguments.users), 1)
    _give(bench, requests)
    for path in READS.values():
        again(bench, server, requests, WARM_UP_SECONDS, arguments.clients, path)
    rounds = [_round(bench, requests, number) for number in range(arguments.rounds)]
    bench.report.add(
        _beside("credits", rounds, "credits", "status"), _beside("devices", rounds, "devices", "status"),
        _beside("spend", rounds, "spend", "attach"), _beside("device seen", rounds, "seen", "attach"))


def _round(bench: Bench, requests: str, number: int) -> dict:
    server, seconds, clients = bench.gatepass, bench.arguments.seconds, bench.arguments.clients
    loads = {
        kind: clean(bench, kind, server, again(bench, server, requests, seconds, clients, path))
        for kind, path in READS.items()
    }
    loads["attach"] = fresh_load(bench, "attach", server, 1, clients, seconds)
    spent = _spent(bench)
    loads["spend"] = clean(
        bench, "spend", server,
        again(bench, server, requests, seconds, clients, "/api/credits/credit/spend", "POST", SPEND, f"round-{number}"))
    if _spent(bench) - spent < loads["spend"].requests:
        bench.report.problem("spend: more was acknowledged than is in the ledgers")
    loads["seen"] = clean(
        bench, "seen", server, again(bench, server, requests, seconds, clients, "/api/devices/phone/seen", "POST"))
    return loads


def _spent(bench: Bench) -> int:
    return bench.mariadb.number("SELECT COUNT(*) FROM ledger_entries WHERE kind = 'spent'", bench.gatepass.database)


def _give(bench: Bench, requests: str):
    """Each user has a pass, credits and three devices."""
    server = bench.gatepass
    key = server.key("read,write")
    for token, texts in read_requests(requests):
        user = user_of(token)
        grant = {"kind": "credits", "unit": "credit", "amount": CREDITS, "reason": "bench", "reference": "bench"}
        _expect(server, "/api/iap/apple/transactions/attach", token, {"signedTransactionJWS": texts[0]})
        _expect(server, f"/api/admin/users/{user}/grants", key, grant, **{"Idempotency-Key": "credits-" + user})
        for device in ("phone", "tablet", "watch"):
            _expect(server, "/api/devices", token, {"device_id": device})


def _expect(server, path: str, token: str, body: dict, **fields: str):
    code, answer = exchange(server, "POST", path, token, body, **fields)
    if code not in (200, 201):
        raise LoadFailed(f"{path}: {code} {answer[:300]!r}")


def _beside(name: str, rounds: list, kind: str, other: str) -> Figure:
    return Figure(
        f"{name}, p99", f"{other}, p99",
        median([loads[kind].p99 / max(loads[other].p99, 0.001) for loads in rounds]), at_most=2,
        measured={
            f"{label} {percentile} ms": median([getattr(loads[label], percentile) for loads in rounds])
            for label in (kind, other) for percentile in ("p50", "p99")
        } | costs(kind, [loads[kind] for loads in rounds]))
