"""Requests over several connections at a pace, whatever is answered: codes are counted."""

import itertools
import select
import socket
import threading
import time
from collections import Counter

PATIENCE_SECONDS = 40
_RECEIVED_AT_ONCE = 1 << 20
_networks = itertools.count()


def new_network() -> tuple:
    """A source address on loopback, in another network each time; they come again after 64,000."""
    number = next(_networks) % 64_000
    return f"127.{1 + number // 254}.{1 + number % 254}.1", 0


class Asker:
    """One connection at a time, opened anew where the server has closed it."""

    def __init__(self, port: int, source: tuple | None = None, patience: float = PATIENCE_SECONDS):
        self._port, self._source, self._patience = port, source, patience
        self._socket: socket.socket | None = None
        self._room = bytearray(_RECEIVED_AT_ONCE)

    def ask(self, request: bytes) -> tuple:
        """The status code and the header of the answer, which may come before the whole request is sent.

        Raises OSError where none comes.
        """
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), self._patience, self._source)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            head, is_whole, received = self._head(request)
            code = int(head.split(b" ", 2)[1])
            left = 0 if code == 304 else _length(head) - received
            while left > 0:
                count = self._socket.recv_into(self._room)
                if not count:
                    raise ConnectionError("the answer broke off")
                left -= count
        except OSError:
            self.close()
            raise
        if not is_whole or b"connection: close" in head.lower():
            self.close()
        return code, head

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _head(self, request: bytes) -> tuple:
        """The answer's header, whether the request was sent to its end, and how much of the body came with it, in
        bytes.
        """
        poll, left, received = select.poll(), memoryview(request), b""
        poll.register(self._socket, select.POLLIN | select.POLLOUT)
        while (end := received.find(b"\r\n\r\n")) < 0:
            if not left:
                poll.modify(self._socket, select.POLLIN)
            ready = poll.poll(self._patience * 1000)
            if not ready:
                raise TimeoutError("no answer")
            if ready[0][1] & ~select.POLLOUT:
                part = self._socket.recv(1 << 16)
                if not part:
                    raise ConnectionError("no answer")
                received += part
            elif left:
                left = left[self._socket.send(left):]
        return received[:end], not left, len(received) - end - 4


class Askers:
    """So many connections that send evenly, `per_second` together, while the context lasts.

    A connection that waits for its answer sends nothing, so a slow server is asked less often. With `from_networks`
    every request comes over a connection of its own from a network of its own, so that no limit of a network helps.
    """

    def __init__(self, server, requests: list, connections: int, per_second: float, from_networks: bool = False):
        self._port, self._requests, self._connections = server.port, requests, connections
        self._interval, self._from_networks = 1 / per_second, from_networks
        self._over, self._lock = threading.Event(), threading.Lock()
        self._due, self._sent, self._seconds = 0.0, 0, 0.0
        self.codes: Counter = Counter()

    def __enter__(self) -> "Askers":
        self._started = self._due = time.monotonic()
        self._threads = [threading.Thread(target=self._run) for _ in range(self._connections)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._seconds = time.monotonic() - self._started
        for thread in self._threads:
            thread.join()

    @property
    def per_second(self) -> float:
        """The requests that were begun while the context lasted, in a second."""
        return self._sent / self._seconds

    def _run(self):
        asker = Asker(self._port)
        while True:
            with self._lock:
                # Time that the server took is not made up for.
                due = self._due = max(self._due + self._interval, time.monotonic())
            if self._over.wait(max(0.0, due - time.monotonic())):
                break
            with self._lock:
                number, self._sent = self._sent, self._sent + 1
            if self._from_networks:
                asker.close()
                asker = Asker(self._port, new_network())
            try:
                told = str(asker.ask(self._requests[number % len(self._requests)])[0])
            except OSError as error:
                told = type(error).__name__
            with self._lock:
                self.codes[told] += 1
        asker.close()


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
