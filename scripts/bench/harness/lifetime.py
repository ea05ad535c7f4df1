"""How soon the server is ready, and what it holds after a load."""

import os

from harness.bench import Bench
from harness.load import again, wrk
from harness.processes import resident_mib
from harness.report import Figure, median
from harness.throughput import costs

MEMORY_CLIENTS = 64
CHUNKS = 8
ATTACHES_A_CHUNK = 4_000


def startup(bench: Bench):
    bench.start_servers()
    times = []
    for _ in range(bench.arguments.rounds):
        bench.gatepass.stop()
        times.append(bench.gatepass.launch(interval=0.005))
    bench.report.add(
        Figure("ready after start", "warm database", median(times), "s", at_most=1, measured={"worst": max(times)}))


def memory(bench: Bench):
    """Reads of all users and attaches by turns; the resident memory after each turn, and how it grows over the second
    half.
    """
    bench.start_servers()
    bench.gatepass.stop()
    bench.gatepass.launch()
    readers = bench.residents(bench.arguments.users)
    held = [resident_mib(bench.gatepass.process.pid)]
    requests, reads = 0, []
    for chunk in range(CHUNKS):
        path = bench.mint.fresh(ATTACHES_A_CHUNK)
        requests += wrk(bench, "attach", bench.gatepass, path, 1, MEMORY_CLIENTS).requests
        os.unlink(path)
        left = bench.arguments.memory_requests * (chunk + 1) / CHUNKS - requests
        seconds = max(1, left / reads[-1].per_second) if reads else 2
        reads.append(again(bench, bench.gatepass, readers, seconds, MEMORY_CLIENTS))
        requests += reads[-1].requests
        held.append(resident_mib(bench.gatepass.process.pid))
    os.unlink(readers)
    half = len(held) // 2
    load = f"{requests:,} requests of {bench.arguments.users:,} users"
    bench.report.add(
        Figure(
            "resident memory, 64 clients", load, held[-1], "MiB", at_most=130,
            measured={"at start": held[0], "half way": held[half]} | costs("status", reads), rounds=held),
        Figure("resident memory gained over the second half", load, held[-1] - held[half], "MiB", at_most=8))
