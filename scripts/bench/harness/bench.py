"""One run: what all figures share."""

import json
import os
import secrets

from harness.database import PrivateMariaDB
from harness.load import RESTORE, STATUS, LoadFailed, exchange
from harness.minting import Mint, read_requests
from harness.population import copy_user_of_lean_baseline
from harness.servers import Baseline, Ceiling, Gatepass
from harness.soundness import check_lean_baseline

PASSES_OF_USER = 6
# What stands before a user's number, of those who are there before anything is measured.
RESIDENT = "u"


class Bench:
    """The private database, the mint and, once asked for, the servers with the users that they have."""

    def __init__(self, arguments, tools, children, report, directory: str):
        self.arguments, self.tools, self.children, self.report = arguments, tools, children, report
        self.directory = directory
        self.secret = secrets.token_hex(32)
        self.mint = Mint(tools.binary("Benchmarks"), directory, self.secret)
        self.mint.tokens(1)
        self.mariadb = PrivateMariaDB(directory, children)
        self.gatepass = Gatepass(self, "gatepass")
        self.lean = Baseline(self, "lean")
        self.ceiling = Ceiling(self)

    def start_database(self):
        if self.mariadb.process is None:
            self.mariadb.start()

    def start_servers(self):
        """Starts the server and the lean baseline, sees that the latter is right, and gives both the same users."""
        if self.lean.process is not None:
            return
        self.start_database()
        self.mariadb.create(self.gatepass.database)
        self.lean.create()
        self.gatepass.launch()
        self.lean.launch()
        texts = self.mint.fresh(1, PASSES_OF_USER)
        users = read_requests(texts)
        for server in (self.gatepass, self.lean):
            seed(server, users)
        self.gatepass.stop()
        self.gatepass.copy_user(RESIDENT, self.arguments.users)
        copy_user_of_lean_baseline(self.mariadb, self.lean.database, RESIDENT, self.arguments.users)
        check_lean_baseline(self)
        self.mariadb.settle()
        self.gatepass.launch()
        self._compare_residents()

    def residents(self, count: int, first: int = 1) -> str:
        """A file with the tokens of `count` users who are there."""
        return self.mint.tokens(count, first, 1, RESIDENT)

    def _compare_residents(self):
        """Some users must be told alike by both, and have expiries of their own, as far apart in both."""
        number = self.arguments.users
        path = self.residents(number)
        tokens = [token for token, _ in read_requests(path)]
        os.unlink(path)
        expiries = []
        chosen = sorted({0, number // 3, number // 2, number - 1})
        for token in (tokens[index] for index in chosen):
            ours, theirs = (json.loads(status(server, token)) for server in (self.gatepass, self.lean))
            for member in ("user_id", "active", "tier"):
                if ours[member] != theirs[member]:
                    self.report.problem(f"the servers disagree about {member}: {ours[member]} and {theirs[member]}")
            if not ours["active"] or len(ours["entitlements"]) != theirs["purchases"]:
                self.report.problem(f"{ours['user_id']} does not have what was copied")
            expiries.append((ours["expires_at_ms"], theirs["expires_at_ms"]))
        distinct, apart = {ours for ours, _ in expiries}, {ours - theirs for ours, theirs in expiries}
        if len(distinct) < len(chosen) or len(apart) > 1:
            self.report.problem(f"users do not have expiries of their own: {expiries}")


def status(server, token: str) -> bytes:
    code, body = exchange(server, "GET", STATUS, token)
    if code != 200:
        raise LoadFailed(f"{server.name} answers {code} to a status: {body[:300]!r}")
    return body


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
