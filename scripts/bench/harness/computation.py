"""What is measured without a server: verification on one core, and the fold."""

import json
import os
import subprocess

from harness.bench import Bench
from harness.minting import read_requests
from harness.report import Figure, median

TEXTS = 256
# Apple's own Swift library at its best, as a share of bare P-256 checks (1.64 k/s where those were 19.3 k/s): it cannot be
# installed beside the server's dependencies, so it stands in for itself.
APPLE_SWIFT_SHARE_OF_RAW = 1.64 / 19.3


def verify(bench: Bench):
    path = bench.mint.fresh(TEXTS)
    texts = "\n".join(signed[0] for _, signed in read_requests(path))
    os.unlink(path)
    rounds = []
    for _ in range(bench.arguments.rounds):
        ours = json.loads(_run([
            bench.tools.binary("Benchmarks"), "verify", "--authority", bench.mint.authority, "--rounds", "1",
            "--seconds", str(bench.arguments.seconds)]))["rounds"][0]
        ours["apple"] = float(_run(
            [bench.tools.python, "verify_rate.py", bench.mint.root,
             bench.tools.path("scripts/bench/config/catalog.yaml"), str(min(2, bench.arguments.seconds))],
            input=texts, cwd=bench.tools.path("scripts/bench/baseline")))
        rounds.append(ours)

    def rate(name: str) -> float:
        return median([each[name] for each in rounds])

    def ratio(one: str, other: str) -> float:
        return median([each[one] / each[other] for each in rounds])

    bench.report.add(
        Figure(
            "verification, warm : raw P-256", ratio("warm", "raw"), at_least=0.78,
            measured={"warm": rate("warm"), "raw": rate("raw")}),
        Figure(
            "verification, cold : 2 x P-384 + P-256", ratio("cold", "coldFloor"), at_least=0.85,
            measured={"cold": rate("cold"), "checks": rate("coldFloor")}),
        Figure(
            "verification, warm : Apple's Python library", ratio("warm", "apple"), at_least=8,
            measured={"warm": rate("warm"), "Apple": rate("apple")}),
        Figure(
            "verification, warm : Apple's Swift library", ratio("warm", "raw") / APPLE_SWIFT_SHARE_OF_RAW, at_least=8,
            note="Apple's share of raw P-256 as measured once, not in this run"))


def fold(bench: Bench):
    report = json.loads(_run([bench.tools.binary("Benchmarks"), "fold"]))
    times = {f"{size} passes ms": time for size, time in sorted(report["milliseconds"].items(), key=_size)}
    bench.report.add(
        Figure("fold of 1,000 passes", report["milliseconds"]["1000"], "ms", at_most=5, measured=times),
        Figure("fold of 4,000 : fold of 1,000 passes", report["growth"], at_most=5.5, note="4 is linear"))


def _size(item: tuple) -> int:
    return int(item[0])


def _run(command: list, **options) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout
