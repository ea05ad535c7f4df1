"""How soon the server is ready, and what it holds after a load."""

import os

from harness.bench import Bench
from harness.load import again, wrk
from harness.processes import resident_mib
from harness.report import Figure, median

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
        Figure("ready after start, warm database", median(times), "s", at_most=1, measured={"worst": max(times)}))


def memory(bench: Bench):
    """Reads and attaches by turns; the resident memory after each turn, and how it grows over the second half."""
    bench.start_servers()
    bench.gatepass.stop()
    bench.gatepass.launch()
    held = [resident_mib(bench.gatepass.process.pid)]
    requests, rate = 0, 0.0
    for chunk in range(CHUNKS):
        path = bench.mint.fresh(ATTACHES_A_CHUNK)
        requests += wrk(bench, "attach", bench.gatepass, path, 1, MEMORY_CLIENTS).requests
        os.unlink(path)
        seconds = 2 if chunk == 0 else bench.arguments.memory_requests / CHUNKS / rate
        load = again(bench, bench.gatepass, bench.status_requests, seconds, MEMORY_CLIENTS)
        requests += load.requests
        rate = load.per_second
        held.append(resident_mib(bench.gatepass.process.pid))
    half = len(held) // 2
    bench.report.add(
        Figure(
            "resident memory after load, 64 clients", held[-1], "MiB", at_most=200,
            measured={"requests": requests, "at start": held[0], "half way": held[half]}),
        Figure("resident memory gained over the second half", held[-1] - held[half], "MiB", at_most=8))
