"""Load that nobody has sent before: every call takes users and transactions of its own."""

import base64
import itertools
import json
import os
import subprocess
import threading


class Mint:
    def __init__(self, benchmarks: str, directory: str, secret: str):
        self._benchmarks = benchmarks
        self._directory = directory
        self._secret = secret
        self._names = itertools.count(1)
        self._lock = threading.Lock()
        self._user = 1
        self._transaction = 1
        self.authority = os.path.join(directory, "authority")

    @property
    def root(self) -> str:
        return os.path.join(self.authority, "root.der")

    def fresh(self, requests: int, items: int = 1, credits: bool = False) -> str:
        """A file of requests by new users about new purchases, `items` each: passes, or packs of credits."""
        return self._run(
            requests, items, self._reserved("_user", requests), 1, "n", *(["--credits"] if credits else []))

    def among(self, requests: int, users: int, first: int, prefix: str) -> str:
        """A file of requests about new passes, one each, by users drawn from so many who are there."""
        return self._run(requests, 1, first, 1, prefix, "--among", str(users))

    def by(self, requests: int, first: int, prefix: str) -> str:
        """A file of requests about new passes, one each, by users who are there, one after the other."""
        return self._run(requests, 1, first, 1, prefix)

    def tokens(self, users: int, first: int = 1, stride: int = 1, prefix: str = "u") -> str:
        """A file of nothing but users' tokens."""
        return self._run(users, 0, first, stride, prefix)

    def notifications(self, event: str, count: int, first: int, at: int, fresh_chains: bool = False) -> list:
        """Signed notifications about the users from number `first` on."""
        path = self._path()
        command = [
            self._benchmarks, "notify", "--authority", self.authority, "--output", path, "--count", str(count),
            "--first", str(first), "--event", event, "--at", str(at)]
        subprocess.run(command + (["--fresh-chains"] if fresh_chains else []), check=True)
        with open(path, encoding="ascii") as file:
            texts = file.read().split()
        os.unlink(path)
        return texts

    def _path(self) -> str:
        return os.path.join(self._directory, f"requests-{next(self._names)}")

    def _reserved(self, counter: str, count: int) -> int:
        """The first of so many numbers that nobody else gets, whichever thread asks."""
        with self._lock:
            first = getattr(self, counter)
            setattr(self, counter, first + count)
        return first

    def _run(self, requests: int, items: int, first: int, stride: int, prefix: str, *more: str) -> str:
        path = self._path()
        transaction = self._reserved("_transaction", requests * items)
        subprocess.run(
            [
                self._benchmarks, "mint", "--authority", self.authority, "--secret", self._secret, "--output", path,
                "--count", str(requests), "--items", str(items), "--first", str(first), "--stride", str(stride),
                "--transaction", str(transaction), "--prefix", prefix, *more,
            ],
            check=True,
        )
        return path


def user_of(token: str) -> str:
    """Whom a token names."""
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))["sub"]


def read_requests(path: str) -> list:
    """The requests of a file as `(token, [signed text, …])`."""
    with open(path, encoding="ascii") as file:
        header = file.readline().rstrip("\n")
        requests = []
        for line in file:
            token, *rest = line.rstrip("\n").split("\t")
            requests.append((token, [header + "." + each for each in rest]))
    return requests
