"""A login that stops answering in the middle: who can still sign in, and how soon a new key counts."""

import asyncio
import itertools
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from harness.asking import Asker
from harness.bench import Bench
from harness.keepalive import request
from harness.load import STATUS, LoadFailed
from harness.openload import Deliveries, Sender
from harness.report import Figure, percentile
from harness.servers import Gatepass

# How the login fails, by what is seen of its answer.
FAILURES = {"silence": "nothing", "head": "its head only", "half": "half a body", "drip": "a byte a second"}
SIGN_INS_A_SECOND, SECONDS = 12, 40
UNKNOWN_A_SECOND = 1
# So long that it does not end while it comes byte by byte.
DOCUMENT_BYTES = 4_096
ACCEPTED_WITHIN_SECONDS, PATIENCE_SECONDS = 65, 100


class Logins:
    """A server and a login for each failure. Their keys grow old while the context lasts and other cases are measured;
    then all are measured at once, for hardly anything is computed.
    """

    def __init__(self, bench: Bench):
        self._bench = bench
        self._runs: list = []

    def __enter__(self) -> "Logins":
        return self

    def __exit__(self, *_):
        for run in self._runs:
            run.stop()

    def begin(self):
        """Everybody signs in once, and the logins fail from then on."""
        self._bench.start_database()
        told = json.loads(self._bench.tools.signing("login", str(2 * SIGN_INS_A_SECOND * SECONDS + 10)))
        for failure in FAILURES:
            self._runs.append(_Run(self._bench, failure, told))

    def measure(self):
        time.sleep(max(0.0, *(run.old_at - time.monotonic() for run in self._runs)))
        with ThreadPoolExecutor(len(self._runs)) as threads:
            for figures in threads.map(_Run.figures, self._runs):
                self._bench.report.add(*figures)


class _Run:
    """One failure: the login is well once, fails, and is well again with a new key."""

    def __init__(self, bench: Bench, failure: str, told: dict):
        self._failure, self._tokens, self._after = failure, told["tokens"], told["after"]
        self._login = _Login(told["before"])
        database = "strangers_login_" + failure
        self._server = Gatepass(
            bench, database, database, AUTH_HS256_SECRET=None, AUTH_JWKS_URL=self._login.url, DATABASE_POOL_SIZE="4")
        bench.mariadb.create(database)
        self._server.launch()
        self.old_at = time.monotonic() + bench.arguments.key_age
        self._known = iter(self._tokens["known"])
        self._sign_in()
        self._login.failure = failure

    def stop(self):
        self._server.stop()
        self._login.stop()

    def figures(self) -> list:
        fetches = self._login.fetches
        alone, = self._send([(self._some_known(), SIGN_INS_A_SECOND)])
        beside, others = self._send([
            (self._some_known(), SIGN_INS_A_SECOND),
            (self._tokens["unknown"][:UNKNOWN_A_SECOND * SECONDS], UNKNOWN_A_SECOND)])
        self._login.become_well(self._after)
        accepted = self._seconds_until_accepted()
        what = f"login that sends {FAILURES[self._failure]}"
        return [
            self._answered(f"sign-ins answered, {what}", alone, ""),
            self._answered(
                f"sign-ins answered beside unknown keys, {what}", beside,
                f"unknown: {dict(others.results)}; fetches begun {self._login.fetches - fetches}"),
            Figure(
                f"a new key counts after a {what}", "the clock", accepted, "s", at_most=ACCEPTED_WITHIN_SECONDS,
                note="" if accepted < PATIENCE_SECONDS else "not accepted until then"),
        ]

    def _answered(self, name: str, done: Deliveries, note: str) -> Figure:
        taken = done.latencies_of["200"]
        return Figure(
            name, "all with a known key", len(taken) / sum(done.results.values()), "", at_least=1,
            note=f"known: {dict(done.results)}" + (f"; {note}" if note else ""),
            measured={f"{name} ms": value for name, value in (
                ("p50", percentile(taken, 0.5)), ("p99", percentile(taken, 0.99)), ("worst", max(taken, default=0)))})

    def _some_known(self) -> list:
        return list(itertools.islice(self._known, SIGN_INS_A_SECOND * SECONDS))

    def _sign_in(self):
        asker = Asker(self._server.port)
        code, _ = asker.ask(request("GET", STATUS, next(self._known)))
        asker.close()
        if code != 200:
            raise LoadFailed(f"{self._server.name} answers {code} while its login is well")

    def _send(self, streams: list) -> list:
        """Sends streams of tokens beside each other, each at its rate."""
        done = [Deliveries() for _ in streams]

        async def run():
            await asyncio.gather(*(
                Sender(self._server.port, each).send([request("GET", STATUS, token) for token in tokens], rate, 0)
                for each, (tokens, rate) in zip(done, streams)))

        asyncio.run(run())
        return done

    def _seconds_until_accepted(self) -> float:
        """How long the new key is refused, tried once a second with another token each time."""
        started = time.monotonic()
        for token in self._tokens["new"]:
            if time.monotonic() - started > PATIENCE_SECONDS:
                break
            asker = Asker(self._server.port, patience=5)
            try:
                if asker.ask(request("GET", STATUS, token))[0] == 200:
                    return time.monotonic() - started
            except OSError:
                pass  # Not answered in time is not accepted.
            finally:
                asker.close()
            time.sleep(1)
        return float(PATIENCE_SECONDS)


class _Login:
    """Serves the key set; while it fails, what it has begun to answer stays unfinished, also when it is well again."""

    def __init__(self, keys: dict):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._document = _document(keys)
        self._over = threading.Event()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/keys"
        # One of `FAILURES`; empty while it is well.
        self.failure = ""
        self.fetches = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def become_well(self, keys: dict):
        self._document, self.failure = _document(keys), ""

    def stop(self):
        self._over.set()
        self._listener.close()

    def _accept(self):
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket):
        """Every request of a connection, which is kept open."""
        try:
            with connection:
                while True:
                    received = b""
                    while b"\r\n\r\n" not in received:
                        part = connection.recv(1 << 16)
                        if not part:
                            return
                        received += part
                    self.fetches += 1
                    self._send(connection, self.failure, self._document)
        except OSError:
            return  # The server gave this fetch up.

    def _send(self, connection: socket.socket, failure: str, body: bytes):
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        if failure == "silence":
            return self._stall()
        connection.sendall(head)
        if failure == "head":
            return self._stall()
        if failure == "half":
            connection.sendall(body[:len(body) // 2])
            return self._stall()
        if not failure:
            return connection.sendall(body)
        for place in range(len(body)):
            connection.sendall(body[place:place + 1])
            if self._over.wait(1):
                break

    def _stall(self):
        """Until this is over, also after the login is well."""
        self._over.wait()


def _document(keys: dict) -> bytes:
    return json.dumps(keys).encode().ljust(DOCUMENT_BYTES)
