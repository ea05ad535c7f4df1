"""Deliveries at a constant rate, whether or not the server keeps up, so that waiting shows in the latencies."""

import asyncio
import json
from collections import Counter, defaultdict

from harness.processes import processor_seconds


class Deliveries:
    """What became of them: latencies from when each was due, in milliseconds, and the results that were answered."""

    def __init__(self):
        self.latencies: list = []
        # The same, by result.
        self.latencies_of: defaultdict = defaultdict(list)
        self.results: Counter = Counter()
        # How long after it was due the generator itself began to send.
        self.late: list = []
        self.server_cost = self.database_cost = 0.0


def deliver(bench, server, requests: list, rate: float | None = None, at_once: int = 16) -> Deliveries:
    """Sends requests: so many a second, or, without a `rate`, the next when one `at_once` is answered."""
    groups = (server.process.pid, bench.mariadb.process.pid)
    before = [processor_seconds(group) for group in groups]
    done = Deliveries()
    asyncio.run(Sender(server.port, done).send(requests, rate, at_once))
    spent = [(processor_seconds(group) - start) * 1e6 / len(requests) for group, start in zip(groups, before)]
    done.server_cost, done.database_cost = spent
    return done


def notification(text: str) -> bytes:
    """Apple's request with a signed text."""
    return apple_delivery(b'{"signedPayload":"' + text.encode() + b'"}')


def apple_delivery(body: bytes) -> bytes:
    """The same with any body."""
    return _request("apple", body)


def card_event(body: bytes, signature: str) -> bytes:
    """Stripe's request with a signed body."""
    return _request("stripe", body, f"Stripe-Signature: {signature}\r\n")


def _request(source: str, body: bytes, headers: str = "") -> bytes:
    head = f"POST /api/billing/webhooks/{source} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return head.encode() + f"{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Sender:
    def __init__(self, port: int, done: Deliveries):
        self._port = port
        self._done = done
        self._idle: list = []

    async def send(self, requests: list, rate: float | None, at_once: int, start: float | None = None):
        """Sends requests as `deliver` does; with a `rate` the first when the loop's clock shows `start`."""
        clock = asyncio.get_running_loop().time
        if rate is None:
            waiting = iter(requests)
            await asyncio.gather(*(self._send_next(waiting, clock) for _ in range(at_once)))
        else:
            start = start or clock() + 0.1
            await asyncio.gather(
                *(self._send_when_due(request, start + index / rate, clock) for index, request in enumerate(requests)))
        for _, writer in self._idle:
            writer.close()

    async def _send_next(self, waiting, clock):
        for request in waiting:
            await self._exchange(request, clock(), clock)

    async def _send_when_due(self, request: bytes, due: float, clock):
        await asyncio.sleep(due - clock())
        self._done.late.append((clock() - due) * 1000)
        await self._exchange(request, due, clock)

    async def _exchange(self, request: bytes, due: float, clock):
        try:
            reader, writer = self._kept() or await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(_length(head))
        except (OSError, asyncio.IncompleteReadError) as error:
            self._done.results[type(error).__name__] += 1
            return
        taken = (clock() - due) * 1000
        self._idle.append((reader, writer))
        code = int(head.split(b" ", 2)[1])
        result = json.loads(body).get("result", "200") if code == 200 else str(code)
        self._done.latencies.append(taken)
        self._done.latencies_of[result].append(taken)
        self._done.results[result] += 1

    def _kept(self) -> tuple | None:
        """A connection that is idle and that the server has not closed."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return None


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0
