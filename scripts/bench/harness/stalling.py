"""Bodies that stop before their end, and connections that say nothing: what they hold, and what others wait."""

import selectors
import socket
import threading
import time
from collections import Counter

from harness.asking import Asker, new_network
from harness.bench import Bench, interleaved
from harness.openload import apple_delivery, card_event
from harness.others import Others
from harness.processes import resident_mib
from harness.report import Figure, median

BODIES, BODIES_A_SECOND = 1_500, 500
MISSING_BYTES = 100
# So that what nobody reads fills no more of the kernel's memory than it must.
BUFFER_BYTES = 64 * 1024
# The bodies come in three of them, then they stall.
TURN_SECONDS = 10
ROUNDS = 3
SECONDS_AFTER = 10
GAINED_MIB = 32

# More than places: half of those that fit were answered once and are kept.
IDLE, KEPT = 4_200, 2_000
QUESTIONS, PATIENCE_SECONDS = 10, 40
LIVEZ = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def bodies(bench: Bench, others: Others):
    """From a network each; the control is as many bodies that come whole."""
    megabyte, quarter = b"a" * (1 << 20), b"a" * (255 * 1024)
    signed = card_event(megabyte, f"t={int(time.time())},v1={'0' * 64}")
    unsigned = signed.replace(b"Stripe-Signature:", b"X-Nothing:", 1)
    for name, message in (
        ("card events of 1 MiB", signed), ("unsigned card events of 1 MiB", unsigned),
        ("notifications of 255 KB", apple_delivery(quarter)),
    ):
        _stalled(bench, others, f"{BODIES:,} stalled {name}", message)
    _idle(bench, others)


def _stalled(bench: Bench, others: Others, name: str, message: bytes):
    others.start()
    server = others.server
    before = resident_mib(server.process.pid)
    rounds, watches, after, taken = [], [], [], []
    codes = {"attack": Counter(), "control": Counter()}
    for number in range(min(ROUNDS, bench.arguments.rounds)):
        loads = {}
        # The attack first: what the control leaves behind must not hide what the attack does.
        for kind in interleaved(["attack", "control", "quiet"], number):
            if kind == "quiet":
                loads[kind] = others.read()
                continue
            with _Watch(server) as watch, _Bodies(server, message, MISSING_BYTES if kind == "attack" else 0) as sent:
                loads[kind] = others.read(TURN_SECONDS)
            codes[kind] += sent.codes
            if kind == "attack":
                watches.append(watch)
                taken.append(sent.bytes / (1 << 20))
                time.sleep(SECONDS_AFTER)
                after.append(resident_mib(server.process.pid))
            others.rest()
        rounds.append(loads)
    others.report(
        name, "as many whole", rounds, codes, {"livez ms, worst": max(watch.worst for watch in watches) * 1000})
    bench.report.add(
        Figure(
            f"resident memory gained, {SECONDS_AFTER} s after {name}", "before", max(after) - before, "MiB",
            at_most=GAINED_MIB,
            measured={
                "before": before, "peak": max(watch.peak for watch in watches), "after": max(after),
                "sent MiB": median(taken)},
            rounds=[{"peak": watch.peak, "after": left} for watch, left in zip(watches, after)]))


def _idle(bench: Bench, others: Others):
    others.start()
    kept = [Asker(others.server.port, new_network(), PATIENCE_SECONDS) for _ in range(KEPT)]
    bare, taken = [], []
    try:
        for asker in kept:
            asker.ask(LIVEZ)
        for _ in range(IDLE - KEPT):
            bare.append(socket.create_connection(("127.0.0.1", others.server.port), PATIENCE_SECONDS, new_network()))
        taken = [_livez(others.server) for _ in range(QUESTIONS)]
    finally:
        for connection in kept + bare:
            connection.close()
    bench.report.add(
        Figure(
            f"livez over a new connection beside {IDLE:,} idle ones, worst of {QUESTIONS}", "the clock", max(taken),
            "s", at_most=1, rounds=taken))


def _livez(server) -> float:
    """Seconds until it was answered over a new connection, at most the patience."""
    started = time.monotonic()
    asker = Asker(server.port, patience=PATIENCE_SECONDS)
    try:
        asker.ask(LIVEZ)
    except OSError:
        return float(PATIENCE_SECONDS)
    finally:
        asker.close()
    return time.monotonic() - started


class _Watch:
    """The greatest resident memory, and the longest livez in seconds, while the context lasts."""

    def __init__(self, server):
        self._server = server
        self._over = threading.Event()
        self._threads = [threading.Thread(target=run) for run in (self._look, self._ask)]
        self.peak = self.worst = 0.0

    def __enter__(self) -> "_Watch":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _look(self):
        while not self._over.wait(0.1):
            self.peak = max(self.peak, resident_mib(self._server.process.pid))

    def _ask(self):
        while not self._over.wait(0.2):
            self.worst = max(self.worst, _livez(self._server))


class _Bodies:
    """Sends bodies but for their last bytes and waits, in a thread, until the context ends and closes all."""

    def __init__(self, server, message: bytes, missing: int):
        self._port, self._message = server.port, memoryview(message)[:len(message) - missing]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.codes: Counter = Counter()
        self.bytes = 0

    def __enter__(self) -> "_Bodies":
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _run(self):
        started, opened, left = time.monotonic(), 0, {}
        with selectors.DefaultSelector() as selector:
            while not self._over.is_set():
                while opened < min(BODIES, (time.monotonic() - started) * BODIES_A_SECOND):
                    sender, opened = _opened(self._port), opened + 1
                    left[sender] = self._message
                    selector.register(sender, selectors.EVENT_READ | selectors.EVENT_WRITE)
                for key, ready in selector.select(0.01):
                    self._go_on(key.fileobj, ready, left, selector)
            for sender in left:
                self.codes["unanswered"] += 1
                sender.close()

    def _go_on(self, sender: socket.socket, ready: int, left: dict, selector):
        try:
            if ready & selectors.EVENT_READ:
                answer = sender.recv(1 << 16)
                self._end(sender, answer.split(b" ", 2)[1].decode() if answer else "closed", left, selector)
                return
            sent = sender.send(left[sender])
            self.bytes += sent
            left[sender] = left[sender][sent:]
            if not left[sender]:
                selector.modify(sender, selectors.EVENT_READ)
        except OSError as error:
            self._end(sender, type(error).__name__, left, selector)

    def _end(self, sender: socket.socket, told: str, left: dict, selector):
        self.codes[told] += 1
        selector.unregister(sender)
        del left[sender]
        sender.close()


def _opened(port: int) -> socket.socket:
    """A connection that is being made from a network of its own."""
    sender = socket.socket()
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
    sender.bind(new_network())
    sender.setblocking(False)
    sender.connect_ex(("127.0.0.1", port))
    return sender
