"""Load that nobody has sent before: every call takes users and transactions of its own."""

import base64
import itertools
import json
import os
import subprocess


class Mint:
    def __init__(self, benchmarks: str, directory: str, secret: str):
        self._benchmarks = benchmarks
        self._directory = directory
        self._secret = secret
        self._names = itertools.count(1)
        self._user = 1
        self._transaction = 1
        self.authority = os.path.join(directory, "authority")

    @property
    def root(self) -> str:
        return os.path.join(self.authority, "root.der")

    def fresh(self, requests: int, items: int = 1) -> str:
        """A file of requests by new users about new purchases, `items` each."""
        path = self._run(requests, items, self._user, 1, "u")
        self._user += requests
        self._transaction += requests * items
        return path

    def tokens(self, users: int, first: int = 1, stride: int = 1, prefix: str = "u") -> str:
        """A file of nothing but users' tokens."""
        return self._run(users, 0, first, stride, prefix)

    def _run(self, requests: int, items: int, first: int, stride: int, prefix: str) -> str:
        path = os.path.join(self._directory, f"requests-{next(self._names)}")
        subprocess.run(
            [
                self._benchmarks, "mint", "--authority", self.authority, "--secret", self._secret, "--output", path,
                "--count", str(requests), "--items", str(items), "--first", str(first), "--stride", str(stride),
                "--transaction", str(self._transaction), "--prefix", prefix,
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
