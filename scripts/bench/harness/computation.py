"""What is measured without a server: verification on one core, and the fold."""

import json
import os
import subprocess

from harness.bench import Bench
from harness.minting import read_requests
from harness.report import Figure, median

TEXTS = 256
FOLDS = 3
RAW_CHECK_SECONDS = 1
# Apple's own Swift library at its best, as a share of bare P-256 checks (1.64 k/s where those were 19.3 k/s): it cannot be
# installed beside the server's dependencies, so it stands in for itself.
APPLE_SWIFT_SHARE_OF_RAW = 1.64 / 19.3


def verify(bench: Bench):
    path = bench.mint.fresh(TEXTS)
    texts = "\n".join(signed[0] for _, signed in read_requests(path))
    os.unlink(path)
    rounds = []
    for _ in range(bench.arguments.rounds):
        ours = _verifications(bench, bench.arguments.seconds)
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
            "verification/s, warm chain, one core", "raw P-256", ratio("warm", "raw"), at_least=0.90,
            measured={"warm/s": rate("warm"), "raw/s": rate("raw")}, rounds=rounds),
        Figure(
            "verification/s, cold chain", "2 x P-384 + P-256", ratio("cold", "coldFloor"), at_least=0.90,
            measured={"cold/s": rate("cold"), "checks/s": rate("coldFloor")}),
        Figure(
            "verification/s, warm chain", "Apple's Swift library", ratio("warm", "raw") / APPLE_SWIFT_SHARE_OF_RAW,
            at_least=10, note="Apple's share of raw P-256 as measured once, not in this run"),
        Figure(
            "verification/s, warm chain", "Apple's Python library", ratio("warm", "apple"),
            measured={"warm/s": rate("warm"), "Apple/s": rate("apple")}))


def fold(bench: Bench):
    rounds = []
    for _ in range(bench.arguments.rounds):
        report = json.loads(_run([bench.tools.binary("Benchmarks"), "fold", "--rounds", str(FOLDS)]))
        rounds.append(report | {"check us": raw_check_microseconds(bench)})
    sizes = sorted(rounds[0]["milliseconds"], key=int)
    times = {f"{size} passes ms": median([each["milliseconds"][size] for each in rounds]) for size in sizes}
    bench.report.add(
        Figure(
            "fold of 1,000 passes", "raw P-256",
            median([each["milliseconds"]["1000"] * 1000 / each["check us"] for each in rounds]), at_most=80,
            measured=times | {"P-256 us": median([each["check us"] for each in rounds])}, rounds=rounds),
        Figure(
            "fold of 4,000 passes", "fold of 1,000", median([each["growth"] for each in rounds]), at_most=5,
            note="4 is linear"))


def raw_check_microseconds(bench: Bench) -> float:
    """What one bare P-256 check takes on one core now."""
    return 1e6 / _verifications(bench, RAW_CHECK_SECONDS)["raw"]


def _verifications(bench: Bench, seconds: float) -> dict:
    return json.loads(_run([
        bench.tools.binary("Benchmarks"), "verify", "--authority", bench.mint.authority, "--rounds", "1",
        "--seconds", str(seconds)]))["rounds"][0]


def _run(command: list, **options) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout
