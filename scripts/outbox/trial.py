"""Runs the outbox against `gatepass dev` through random faults, and says what became of each transaction.

    trial.py PLAN REPORT

PLAN is JSON: how to start the server, the secret of its login, and what is bought by whom, signed in advance. A device
belongs to several people who take turns. The faults are real ones: the server and its database are killed, the database
hangs, a token has run out, somebody else is signed in, the rate is used up, a text is signed an hour ahead of the
server's clock, a body breaks off, an answer is lost. The outbox is not told of any.
"""

import base64
import collections
import hashlib
import hmac
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.request

from outbox import DAY, Outbox

# How often each fault comes, those seldom that take seconds to recover from.
FAULTS = {"kill": 1, "database": 1, "hang": 1, "rate": 2, "token": 4, "stranger": 4, "clock": 4, "cut": 4, "lost": 4}
ATTACH = "/api/iap/apple/transactions/attach"


class Server:
    """`gatepass dev`, which is killed and started again."""

    def __init__(self, plan):
        self.command, self.port = plan["command"], plan["port"]
        self.settings, self.directory = plan["environment"], plan["directory"]
        self.process = None

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def boot(self):
        environment = {**os.environ, **self.settings}
        with open(self.directory + "/trial.log", "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL"] + self.command, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + 120
        while not self.is_ready():
            assert self.runs and time.monotonic() < deadline, "the server does not become ready"
            time.sleep(0.05)

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=10) as answer:
                return answer.status == 200
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def signal_database(self, number):
        for process in self.databases():
            os.kill(process, number)

    def databases(self):
        """The processes that serve the installation's data: one, and none while it starts."""
        data = f"--datadir={self.directory}/mariadb/data".encode()
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue  # it has ended meanwhile
            if words[0].endswith(b"mariadbd") and data in words:
                yield int(name)

    def end(self):
        self.process.terminate()
        self.process.wait()

    def advance(self, seconds):
        self.post("/dev/clock", {"advance": f"{seconds}s"}, {})

    def post(self, path, body, fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **fields})
            return connection.getresponse().status
        finally:
            connection.close()


class Transaction:
    def __init__(self, members):
        self.id, self.user, self.kind, self.text = (members[name] for name in ("id", "user", "kind", "text"))


class Device:
    """StoreKit, the login and the clock of one device."""

    def __init__(self, plan, server, chance):
        self.plan, self.server, self.chance = plan, server, chance
        self.secret = plan["secret"].encode()
        self.bought, self.finished = [], {}
        self.person, self.is_token_old, self.is_asked = plan["users"][0], False, False
        self.skew = 0
        # The fault of the next request.
        self.fault = None
        self.met = collections.Counter()

    # The store

    def unfinished(self):
        return [each for each in self.bought if each.id not in self.finished]

    def finish(self, identifier):
        assert identifier not in self.finished, f"{identifier} is finished twice"
        self.finished[identifier] = self.person
        transaction = next(each for each in self.bought if each.id == identifier)
        assert transaction.kind != "forged", f"{identifier} is forged, and finished"
        assert transaction.user == self.person, f"{transaction.user}'s {identifier} is finished for {self.person}"

    def proof(self):
        return self.plan["proof"]

    # The login

    def token(self):
        end = time.time() + (-3_600 if self.is_token_old else 3_600)
        signed = b".".join(
            base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
            for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": self.person, "exp": int(end)}))
        code = hmac.new(self.secret, signed, hashlib.sha256).digest()
        return (signed + b"." + base64.urlsafe_b64encode(code).rstrip(b"=")).decode()

    def ask(self):
        self.is_asked = True

    def sign_in(self, person):
        self.person, self.is_token_old, self.is_asked = person, False, False

    # The clock

    def now(self):
        return time.time() + self.skew

    def wait(self, seconds):
        self.server.signal_database(signal.SIGCONT)
        if not self.server.runs:
            return self.server.boot()
        time.sleep(min(seconds, 4))

    def let_pass(self, seconds):
        """Hours pass, for the server too."""
        if not self.server.runs:
            self.server.boot()
        self.skew += seconds
        self.server.advance(seconds)

    def connection(self, host, port, timeout):
        fault, self.fault = self.fault, None
        return Line(self, fault, host, port, timeout)


class Line(http.client.HTTPConnection):
    """A connection over which a body may break off, or an answer be lost."""

    def __init__(self, device, fault, host, port, timeout):
        super().__init__(host, port, timeout=timeout)
        self.device, self.fault = device, fault

    def send(self, data):
        if self.fault != "cut" or not data.startswith(b"{"):
            return super().send(data)
        self.sock.sendall(data[: self.device.chance.randrange(len(data))])
        self.sock.shutdown(1)

    def getresponse(self):
        try:
            answer = super().getresponse()
        except (OSError, http.client.HTTPException):
            self.device.met["unheard"] += 1
            raise
        self.device.met[str(answer.status)] += 1
        if self.fault == "lost":
            answer.read()
            raise ConnectionResetError
        return answer

    def connect(self):
        try:
            super().connect()
        except OSError:
            self.device.met["unheard"] += 1
            raise


class Trial:
    def __init__(self, plan):
        self.plan, self.chance = plan, random.Random(plan["seed"])
        self.server = Server(plan)
        self.device = Device(plan, self.server, self.chance)
        self.outbox = Outbox("127.0.0.1", plan["port"], self.device, self.device, self.device, self.device.connection)
        self.on_sale = collections.defaultdict(collections.deque)
        for members in plan["transactions"]:
            self.on_sale[members["kind"]].append(Transaction(members))

    def run(self):
        self.server.boot()
        # Each fault once, and then by chance.
        drawn = self.chance.choices(list(FAULTS), FAULTS.values(), k=self.plan["faults"] - len(FAULTS))
        for fault in list(FAULTS) + drawn:
            self.meet(fault)
        self.close()
        genuine = {each.id for each in self.device.bought if each.kind != "forged"}
        left = genuine - self.device.finished.keys()
        assert not left, f"never finished: {sorted(left)}"
        self.server.end()

    def meet(self, fault):
        """Somebody buys something, and the app delivers what there is while the fault happens."""
        device = self.device
        transaction = self.on_sale["ahead" if fault == "clock" else "plain"].popleft()
        self.sign_in(transaction.user)
        device.bought.append(transaction)
        if self.on_sale["forged"] and self.chance.random() < 0.1:
            device.bought.append(self.on_sale["forged"].popleft())
        restores = self.chance.random() < 0.3
        killer = None
        if fault in ("kill", "database", "hang", "rate") and not self.server.runs:
            self.server.boot()
        if fault == "kill":
            killer = threading.Timer(self.chance.random() * 0.05, self.server.kill)
            killer.start()
        elif fault == "database":
            self.server.signal_database(signal.SIGKILL)
        elif fault == "hang":
            # Until the app waits.
            self.server.signal_database(signal.SIGSTOP)
        elif fault == "rate":
            restores = False
            self.use_up_rate()
        elif fault == "token":
            device.is_token_old = True
        elif fault == "stranger":
            self.sign_in(self.chance.choice([each for each in self.plan["users"] if each != device.person]))
        elif fault in ("cut", "lost"):
            device.fault = fault
        self.outbox.start(restores)
        if killer:
            killer.join()
        device.fault = None
        self.server.signal_database(signal.SIGCONT)
        self.sign_in_if_asked()
        if fault == "clock":
            self.pass_hours()

    def sign_in(self, person):
        if person != self.device.person or self.device.is_token_old:
            self.device.sign_in(person)
            self.outbox.signed_in()

    def sign_in_if_asked(self):
        """Whoever has the device signs in; mostly who bought what waits."""
        if not self.device.is_asked:
            return
        buyers = [each.user for each in self.device.bought if each.id in self.outbox.waiting]
        person = buyers[-1] if buyers and self.chance.random() < 0.7 else self.chance.choice(self.plan["users"])
        self.device.sign_in(person)
        self.outbox.signed_in()
        self.outbox.start()

    def use_up_rate(self):
        fields = {"Authorization": "Bearer " + self.device.token()}
        while self.server.post(ATTACH, {}, fields) != 429:
            pass

    def pass_hours(self):
        """A text that is ahead of the server's clock is due when so many seconds have passed."""
        while True:
            left = [end - self.device.now() for end in self.outbox.resting.values()]
            hours = [seconds for seconds in left if 0 < seconds <= 3_600]
            if not hours:
                break
            self.device.met["ahead"] += 1
            self.device.let_pass(int(min(hours)) + 1)
            self.outbox.start()

    def close(self):
        """No more faults: each person signs in until nothing of theirs is left."""
        if not self.server.runs:
            self.server.boot()
        for person in self.plan["users"] * 2:
            self.device.sign_in(person)
            self.outbox.signed_in()
            self.outbox.start()
            # A day: what was `never` is tried once more.
            self.device.skew += DAY


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trial = Trial(json.load(file))
    trial.run()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        bought = [{"id": each.id, "user": each.user, "kind": each.kind} for each in trial.device.bought]
        json.dump({"bought": bought, "finished": trial.device.finished, "met": trial.device.met}, file)


main()
