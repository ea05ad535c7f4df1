"""One run: what all figures share."""

import json
import secrets

from harness.database import PrivateMariaDB
from harness.load import RESTORE, STATUS, LoadFailed, exchange
from harness.minting import Mint, read_requests
from harness.servers import Baseline, Ceiling, Gatepass

PASSES_OF_STATUS_USER = 3


class Bench:
    """The private database, the mint and, once asked for, the servers with the users whose status is read."""

    def __init__(self, arguments, tools, children, report, directory: str):
        self.arguments, self.tools, self.children, self.report = arguments, tools, children, report
        self.directory = directory
        self.secret = secrets.token_hex(32)
        self.mint = Mint(tools.binary("Benchmarks"), directory, self.secret)
        self.mint.tokens(1)
        self.mariadb = PrivateMariaDB(directory, children)
        self.gatepass = Gatepass(self, "gatepass")
        self.baseline = Baseline(self, "baseline")
        self.ceiling = Ceiling(self)
        self.status_requests = ""

    def start_database(self):
        if self.mariadb.process is None:
            self.mariadb.start()

    def start_servers(self):
        """Starts both servers, sees that they answer alike, and gives each the same users."""
        if self.status_requests:
            return
        self.start_database()
        self.mariadb.create(self.gatepass.database)
        self.gatepass.launch()
        self.baseline.launch()
        self.status_requests = self.mint.fresh(self.arguments.users, PASSES_OF_STATUS_USER)
        users = read_requests(self.status_requests)
        for server in (self.gatepass, self.baseline):
            seed(server, users)
        answers = [self._status(server, users[0][0]) for server in (self.gatepass, self.baseline)]
        self._compare(*answers)
        self.ceiling.launch(answers[0])

    def _status(self, server, token: str) -> bytes:
        code, body = exchange(server, "GET", STATUS, token)
        if code != 200:
            raise LoadFailed(f"{server.name} answers {code} to a status: {body[:300]!r}")
        return body

    def _compare(self, ours: bytes, theirs: bytes):
        ours, theirs = json.loads(ours), json.loads(theirs)
        for member in ("active", "tier", "expires_at", "access_expires_at", "state", "segments"):
            if ours[member] != theirs[member]:
                self.report.problem(f"the servers disagree about {member}: {ours[member]} and {theirs[member]}")


def seed(server, users: list):
    """Restores every user's purchases."""
    for token, texts in users:
        code, body = exchange(server, "POST", RESTORE, token, {"signedTransactions": texts})
        if code != 200 or json.loads(body)["summary"]["attached"] != len(texts):
            raise LoadFailed(f"{server.name} answers {code} to a restore: {body[:300]!r}")


def interleaved(servers: list, round_number: int) -> list:
    """The servers, another one first in every round."""
    turn = round_number % len(servers)
    return servers[turn:] + servers[:turn]
