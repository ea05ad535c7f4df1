"""Whether the time of a refusal says that somebody, or something of somebody else's, is there."""

import http.client
import random
import statistics
import time

from harness.bench import Bench
from harness.load import LoadFailed, exchange
from harness.minting import read_requests, user_of
from harness.report import Figure

ASKED = 6_000
# The slowest are about the machine and not about the answer.
KEPT = 0.9
DEVICE = "phone-of-somebody-else"


def secrecy(bench: Bench):
    """By turns in random order: what another user has, and what nobody has. The two must not be told apart by |t| < 4.5."""
    bench.start_servers()
    (token, _), (known, _) = read_requests(bench.residents(2))
    code, answer = exchange(bench.gatepass, "POST", "/api/devices", known, {"device_id": DEVICE})
    if code not in (200, 201):
        raise LoadFailed(f"/api/devices: {code} {answer[:300]!r}")
    for name, method, path, theirs, nobodys in (
        ("user", "GET", "/api/billing/subscriptions/check/{}", user_of(known), "u999999999"),
        ("device", "POST", "/api/devices/{}/suspend", DEVICE, "phone-of-nobody-at-all"),
    ):
        bench.report.add(_told_apart(bench, token, name, method, path.format(theirs), path.format(nobodys)))


def _told_apart(bench: Bench, token: str, name: str, method: str, theirs: str, nobodys: str) -> Figure:
    connection = http.client.HTTPConnection("127.0.0.1", bench.gatepass.port)
    taken: dict = {theirs: [], nobodys: []}
    order = [theirs, nobodys] * ASKED
    random.Random(1).shuffle(order)
    for path in order:
        started = time.perf_counter_ns()
        connection.request(method, path, headers={"Authorization": "Bearer " + token})
        answer = connection.getresponse()
        answer.read()
        taken[path].append((time.perf_counter_ns() - started) / 1000)
        if answer.status != 404:
            bench.report.problem(f"{method} {path}: {answer.status}")
    connection.close()
    bound = sorted(taken[theirs] + taken[nobodys])[int(2 * ASKED * KEPT)]
    one, two = ([each for each in times if each <= bound] for times in taken.values())
    spread = (statistics.variance(one) / len(one) + statistics.variance(two) / len(two)) ** 0.5
    t = abs(statistics.mean(one) - statistics.mean(two)) / spread
    return Figure(
        f"404 about another's {name}, |t|", "404 about nobody's", t, "", at_most=4.5,
        measured={"another's us": statistics.mean(one), "nobody's us": statistics.mean(two)})
