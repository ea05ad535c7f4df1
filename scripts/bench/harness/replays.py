"""What was sent before, sent again; and what an erasure costs everybody else."""

import json
import os

from harness.bench import Bench
from harness.load import LoadFailed, again, exchange, wrk
from harness.minting import read_requests, user_of
from harness.report import Figure, median
from harness.throughput import clean, fresh_load

KNOWN_CALLS = {"attach": 2_000, "restore": 40}
WARM_UP_SECONDS = 2


def replay(bench: Bench):
    """A literal replay of an attach, and of a restore of 100 items, beside the same for the first time."""
    bench.start_servers()
    server, arguments = bench.gatepass, bench.arguments
    for script, items, clients, at_least in (("attach", 1, arguments.clients, 2), ("restore", 100, 8, 3)):
        known = bench.mint.fresh(KNOWN_CALLS[script], items)
        _send(bench, script, server, known)
        wrk(bench, script, server, known, WARM_UP_SECONDS, clients, "again")
        rounds = []
        for _ in range(arguments.rounds):
            first = fresh_load(bench, script, server, items, clients, arguments.seconds)
            repeated = clean(
                bench, script, server, wrk(bench, script, server, known, arguments.seconds, clients, "again"))
            rounds.append((repeated, first))
        os.unlink(known)
        bench.report.add(
            Figure(
                f"{script} of {items} known : new", median([one.per_second / other.per_second for one, other in rounds]),
                at_least=at_least,
                measured={
                    f"{label} {name}": median([value(each[index]) for each in rounds])
                    for index, label in enumerate(("known", "new"))
                    for name, value in (("/s", lambda load: load.per_second), ("us", lambda load: load.server_cost))
                },
                rounds=[{"known": one.per_second, "new": other.per_second} for one, other in rounds]))


def erasure(bench: Bench):
    """Status and attach before and after the first person is erased."""
    bench.start_servers()
    arguments = bench.arguments
    measured = {"before": [], "after": []}
    _round(bench)
    for when in measured:
        if when == "after":
            _erase_somebody(bench)
        measured[when] = [_round(bench) for _ in range(arguments.rounds)]
    for kind in ("status", "attach"):
        before, after = (
            median([each[kind].server_cost + each[kind].database_cost for each in measured[when]])
            for when in ("before", "after"))
        bench.report.add(
            Figure(
                f"{kind}: computing after : before an erasure", after / before, at_most=1.1,
                measured={"before us": before, "after us": after},
                rounds=[{when: each[kind].per_second} for when in measured for each in measured[when]]))


def _round(bench: Bench) -> dict:
    """Attach first, so that the pages that it leaves to be written burden each status alike."""
    server, arguments = bench.gatepass, bench.arguments
    attach = fresh_load(bench, "attach", server, 1, arguments.clients, arguments.seconds)
    status = clean(
        bench, "status", server, again(bench, server, bench.status_requests, arguments.seconds, arguments.clients))
    return {"attach": attach, "status": status}


def _erase_somebody(bench: Bench):
    server = bench.gatepass
    somebody = bench.mint.fresh(1, 1)
    _send(bench, "attach", server, somebody)
    user = user_of(read_requests(somebody)[0][0])
    os.unlink(somebody)
    code, answer = exchange(
        server, "POST", f"/api/admin/users/{user}/erase", server.key("admin"), {"reason": "bench"},
        **{"Idempotency-Key": "erase"})
    if code != 204:
        raise LoadFailed(f"erase: {code} {answer[:300]!r}")


def _send(bench: Bench, script: str, server, path: str):
    """Every request of a file once, one after the other."""
    for token, texts in read_requests(path):
        if script == "attach":
            code, answer = exchange(
                server, "POST", "/api/iap/apple/transactions/attach", token, {"signedTransactionJWS": texts[0]})
            outcome = code == 200 and json.loads(answer)["outcome"] == "attached"
        else:
            code, answer = exchange(server, "POST", "/api/iap/apple/restore", token, {"signedTransactions": texts})
            outcome = code == 200 and json.loads(answer)["summary"]["attached"] == len(texts)
        if not outcome:
            raise LoadFailed(f"{script}: {code} {answer[:300]!r}")
