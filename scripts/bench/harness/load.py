"""Closed-loop load by wrk, and single exchanges to see that the answers are right."""

import json
import math
import os
import subprocess
import urllib.error
import urllib.request

from harness.processes import processor_seconds

ATTACH = "/api/iap/apple/transactions/attach"
RESTORE = "/api/iap/apple/restore"
STATUS = "/api/iap/apple/status"


class LoadFailed(Exception):
    pass


class Load:
    """What wrk saw: requests a second and latencies in milliseconds; and what a request cost, in microseconds of a core."""

    def __init__(self, seen: dict, server_seconds: float, database_seconds: float):
        self.requests = seen["requests"]
        self.per_second = seen["requests"] / (seen["microseconds"] / 1e6)
        self.p50, self.p90, self.p99 = (seen[name] / 1000 for name in ("p50", "p90", "p99"))
        self.maximum = seen["max"] / 1000
        self.exhausted = seen["exhausted"]
        self.server_cost = server_seconds * 1e6 / max(1, self.requests)
        self.database_cost = database_seconds * 1e6 / max(1, self.requests)
        self.cost = self.server_cost + self.database_cost
        self.errors = sum(seen[name] for name in ("non2xx", "connect", "read", "write", "timeout"))


def wrk(bench, script: str, server, requests: str, seconds: float, clients: int, *more: str) -> Load:
    """A load by a script of `lua`, which is handed the file of prepared requests and what else it asks for."""
    lua = bench.tools.path("scripts/bench/lua")
    groups = (server.process.pid, bench.mariadb.process.pid)
    before = [processor_seconds(group) for group in groups]
    done = subprocess.run(
        [
            "wrk", "-t1", f"-c{clients}", f"-d{max(1, math.ceil(seconds))}s", "--timeout", "20s",
            "-s", os.path.join(lua, script + ".lua"), server.url("/"), "--", requests, *more,
        ],
        capture_output=True, text=True, env=dict(os.environ, BENCH_LUA=lua),
    )
    for line in done.stdout.splitlines():
        if line.startswith("JSON "):
            spent = [processor_seconds(group) - start for group, start in zip(groups, before)]
            return Load(json.loads(line[5:]), *spent)
    raise LoadFailed(f"wrk {script} on {server.name}: {done.stdout} {done.stderr}")


def again(
    bench, server, requests: str, seconds: float, clients: int, path: str = STATUS, method: str = "GET", body: str = "",
    name: str = "",
) -> Load:
    """A load of one request for one user after the other; each has a key of its own when the load has a `name`."""
    return wrk(bench, "again", server, requests, seconds, clients, method, path, body, name)


def exchange(server, method: str, path: str, token: str, body=None, **fields: str) -> tuple:
    """One request; its status code and its body as it came."""
    request = urllib.request.Request(
        server.url(path), method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json", **fields},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
