"""What was sent before, sent again; and what an erasure costs everybody else."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

from harness.bench import Bench
from harness.load import LoadFailed, again, exchange, wrk
from harness.minting import read_requests, user_of
from harness.report import Figure, median
from harness.throughput import clean, costs, fresh_load

KNOWN_PURCHASES = 10_000
SENDERS = 8
WARM_UP_SECONDS = 2


def replay(bench: Bench):
    """A literal replay of an attach, and of a restore of 100 items, beside the same for the first time."""
    bench.start_servers()
    server, arguments = bench.gatepass, bench.arguments
    for script, items, clients, at_least in (("attach", 1, arguments.clients, 1.7), ("restore", 100, 8, 2)):
        known = bench.mint.fresh(min(KNOWN_PURCHASES, arguments.users) // items, items)
        _send(script, server, known)
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
                f"{script} of {items} known, calls/s", "the same when new",
                median([one.per_second / other.per_second for one, other in rounds]), at_least=at_least,
                measured=costs("known", [one for one, _ in rounds]) | costs("new", [other for _, other in rounds]),
                rounds=[{"known": one.per_second, "new": other.per_second} for one, other in rounds]))


def erasure(bench: Bench):
    """Status and attach before and after the first person is erased."""
    bench.start_servers()
    arguments = bench.arguments
    readers = bench.residents(min(arguments.few, arguments.users))
    measured = {"before": [], "after": []}
    _round(bench, readers)
    for when in measured:
        if when == "after":
            _erase_somebody(bench)
        measured[when] = [_round(bench, readers) for _ in range(arguments.rounds)]
    os.unlink(readers)
    for kind in ("status", "attach"):
        loads = {when: [each[kind] for each in measured[when]] for when in measured}
        before, after = (
            median([load.server_cost + load.database_cost for load in loads[when]]) for when in ("before", "after"))
        bench.report.add(
            Figure(
                f"{kind}, core time after an erasure", "before it", after / before, at_most=1.1,
                measured=costs("before", loads["before"]) | costs("after", loads["after"]),
                rounds=[{when: load.per_second} for when in loads for load in loads[when]]))


def _round(bench: Bench, readers: str) -> dict:
    """Attach first, so that the pages that it leaves to be written burden each status alike."""
    server, arguments = bench.gatepass, bench.arguments
    attach = fresh_load(bench, "attach", server, 1, arguments.clients, arguments.seconds)
    status = clean(bench, "status", server, again(bench, server, readers, arguments.seconds, arguments.clients))
    return {"attach": attach, "status": status}


def _erase_somebody(bench: Bench):
    server = bench.gatepass
    somebody = bench.mint.fresh(1, 1)
    _send("attach", server, somebody)
    user = user_of(read_requests(somebody)[0][0])
    os.unlink(somebody)
    code, answer = exchange(
        server, "POST", f"/api/admin/users/{user}/erase", server.key("admin"), {"reason": "bench"},
        **{"Idempotency-Key": "erase"})
    if code != 204:
        raise LoadFailed(f"erase: {code} {answer[:300]!r}")


def _send(script: str, server, path: str):
    """Every request of a file once."""

    def send(request: tuple):
        token, texts = request
        if script == "attach":
            code, answer = exchange(
                server, "POST", "/api/iap/apple/transactions/attach", token, {"signedTransactionJWS": texts[0]})
            outcome = code == 200 and json.loads(answer)["outcome"] == "attached"
        else:
            code, answer = exchange(server, "POST", "/api/iap/apple/restore", token, {"signedTransactions": texts})
            outcome = code == 200 and json.loads(answer)["summary"]["attached"] == len(texts)
        if not outcome:
            raise LoadFailed(f"{script}: {code} {answer[:300]!r}")

    with ThreadPoolExecutor(SENDERS) as senders:
        list(senders.map(send, read_requests(path)))
