"""What everybody else waits while somebody asks: the statuses of users who have nothing to do with it."""

import os
import time
from collections import Counter

from harness.bench import PASSES_OF_USER, RESIDENT, Bench, interleaved, seed
from harness.load import Load, again
from harness.minting import read_requests
from harness.processes import processor_seconds
from harness.report import Figure, median
from harness.servers import Gatepass
from harness.throughput import clean

CLIENTS = 8
WARM_UP_SECONDS = 2
AT_MOST = 1.5
# Until less than this share of a core is computed.
REST_SECONDS, REST_LOOK_SECONDS, REST_SHARE = 60, 0.5, 0.1


class Others:
    """A server of its own, the users in it, and how long their statuses take."""

    def __init__(self, bench: Bench, database: str):
        self._bench = bench
        self.server = Gatepass(bench, database, database, SANDBOX_ACCESS="everyone")
        self._readers = ""

    def start(self):
        """Starts the server anew; the users are made at the first time."""
        bench = self._bench
        self.server.stop()
        if not self._readers:
            self._fill()
        self.server.launch()
        again(bench, self.server, self._readers, WARM_UP_SECONDS, CLIENTS)

    def stop(self):
        self.server.stop()
        if self._readers:
            os.unlink(self._readers)

    def read(self, seconds: float | None = None) -> Load:
        """The statuses of all, drawn uniformly; where none was answered, each took at least as long as was waited."""
        bench, seconds = self._bench, seconds or self._bench.arguments.seconds
        load = again(bench, self.server, self._readers, seconds, CLIENTS)
        if load.requests == 0:
            bench.report.problem(f"status: {self.server.name} answered nothing in {seconds} s")
            load.p50 = load.p99 = seconds * 1000
            return load
        return clean(bench, "status", self.server, load)

    def rest(self):
        """Waits until the server computes next to nothing, so that what one turn has left burdens no other."""
        group, deadline = self.server.process.pid, time.monotonic() + REST_SECONDS
        while time.monotonic() < deadline:
            before = processor_seconds(group)
            time.sleep(REST_LOOK_SECONDS)
            if processor_seconds(group) - before <= REST_SHARE * REST_LOOK_SECONDS:
                return
        self._bench.report.problem(f"{self.server.name} still computed {REST_SECONDS} s after a turn")

    def tokens(self, count: int) -> list:
        """The tokens of some of them."""
        return [token for token, _ in read_requests(self._readers)[:count]]

    def compare(self, name: str, what: str, attack, control):
        """Adds the figure of an attack: others' p50 beside it, against their p50 beside its control.

        `attack` makes its askers, `control` those that ask as often as the attack was seen to, and is handed that rate.
        """
        with attack() as askers:
            self.read(WARM_UP_SECONDS)
        self.rest()
        rate, codes, turns = askers.per_second, {"attack": Counter(), "control": Counter()}, []
        for number in range(self._bench.arguments.rounds):
            loads, rates = {}, {}
            for kind in interleaved(["attack", "control", "quiet"], number):
                if kind == "quiet":
                    loads[kind] = self.read()
                    continue
                with attack() if kind == "attack" else control(rate) as askers:
                    loads[kind] = self.read()
                self.rest()
                codes[kind] += askers.codes
                rates[kind] = askers.per_second
                if kind == "attack":
                    rate = askers.per_second
            turns.append((loads, rates))
        self.report(name, what, [loads for loads, _ in turns], codes, {
            f"{kind}/s": median([rates[kind] for _, rates in turns]) for kind in codes})

    def report(self, name: str, what: str, rounds: list, codes: dict, measured: dict):
        """Adds the figures of rounds of loads, each of which is quiet, beside the control or beside the attack."""
        told = "; ".join(f"{kind}: " + _told(counted) for kind, counted in codes.items())
        for percentile, at_most in (("p50", AT_MOST), ("p99", None)):
            taken = {
                kind: [getattr(loads[kind], percentile) for loads in rounds]
                for kind in ("quiet", "control", "attack")}
            self._bench.report.add(
                Figure(
                    f"others' status, {percentile}, beside {name}", what,
                    median([one / max(other, 0.001) for one, other in zip(taken["attack"], taken["control"])]),
                    at_most=at_most,
                    measured={f"{kind} ms": median(values) for kind, values in taken.items()}
                    | (measured if at_most else {}),
                    note=told if at_most else "",
                    rounds=[{kind: values[number] for kind, values in taken.items()} for number in range(len(rounds))]))

    def _fill(self):
        bench = self._bench
        bench.start_database()
        bench.mariadb.create(self.server.database)
        self.server.launch()
        path = bench.mint.fresh(1, PASSES_OF_USER)
        seed(self.server, read_requests(path))
        os.unlink(path)
        self.server.stop()
        count = min(bench.arguments.few, bench.arguments.users)
        self.server.copy_user(RESIDENT, count)
        bench.mariadb.settle()
        self._readers = bench.residents(count)


def _told(codes: Counter) -> str:
    return ", ".join(f"{count} × {code}" for code, count in sorted(codes.items())) or "nothing"
