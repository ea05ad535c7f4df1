"""The three endpoints beside the full baseline, which has the product's own rules: only shown."""

import json
import os

from harness.bench import PASSES_OF_USER, Bench, interleaved, seed, status
from harness.load import again
from harness.minting import read_requests
from harness.servers import Baseline
from harness.throughput import WARM_UP_SECONDS, against, clean, fresh_rounds

USERS = 500
TOLD_ALIKE = ("active", "tier", "expires_at", "access_expires_at", "state", "segments")


def full(bench: Bench):
    bench.start_servers()
    baseline = Baseline(bench, "full")
    baseline.create()
    baseline.launch()
    servers, arguments = [bench.gatepass, baseline], bench.arguments
    requests = bench.mint.fresh(USERS, PASSES_OF_USER)
    users = read_requests(requests)
    for server in servers:
        seed(server, users)
    ours, theirs = (json.loads(status(server, users[0][0])) for server in servers)
    for member in TOLD_ALIKE:
        if ours[member] != theirs[member]:
            bench.report.problem(f"the servers disagree about {member}: {ours[member]} and {theirs[member]}")
    for server in servers:
        again(bench, server, requests, WARM_UP_SECONDS, arguments.clients)
    rounds = [
        {
            server.name: clean(
                bench, "status", server, again(bench, server, requests, arguments.seconds, arguments.clients))
            for server in interleaved(servers, number)
        }
        for number in range(arguments.rounds)
    ]
    bench.report.add(against(f"status, cost, {USERS:,} users", rounds, "full"))
    for script, items in (("attach", 1), ("restore", PASSES_OF_USER)):
        rounds = fresh_rounds(bench, servers, script, items, arguments.clients, arguments.seconds)
        bench.report.add(against(f"{script} of {items} new, cost", rounds, "full", items=items))
    os.unlink(requests)
    baseline.stop()
