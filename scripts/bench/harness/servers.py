"""The servers that are measured, all behind the same interface."""

import os
import subprocess
import time

from harness import cards
from harness.population import SHIFT, copy_user_of_gatepass
from harness.processes import Children, free_port, wait_until_ready


class Server:
    """A process that answers on 127.0.0.1."""

    # The table with a row for each purchase, its `id` and its `user_id`.
    purchases = "purchases"

    def __init__(self, name: str, children: Children):
        self.name = name
        self._children = children
        self.process = None
        self.port = 0
        # What it was seen to do in a second, by kind of load.
        self.rates: dict = {}

    def start(self, command: list, seconds: float = 60, interval: float = 0.05, **options):
        started = time.monotonic()
        self.process = self._children.start(self.name, command, **options)
        wait_until_ready(self.url("/readyz"), self.process, seconds, interval)
        return time.monotonic() - started

    def stop(self):
        if self.process is not None:
            self._children.stop(self.process)
            self.process = None

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


class Gatepass(Server):
    """The product. `database` is the name of its schema; a setting that is None is left out."""

    def __init__(self, bench, database: str, name: str = "gatepass", **settings: str | None):
        super().__init__(name, bench.children)
        self._bench = bench
        self._settings = settings
        self.database = database
        self.catalogue = bench.tools.path("scripts/bench/config/catalog.yaml")

    def launch(self, interval: float = 0.05) -> float:
        """Starts it; how many seconds it took to be ready."""
        self.port = free_port()
        return self.start(self._command("serve"), interval=interval, env=self._environment(), cwd=self._bench.directory)

    def key(self, scopes: str) -> str:
        """A new API key."""
        made = subprocess.run(
            self._command("keys", "create", "--scopes", scopes), env=self._environment(), cwd=self._bench.directory,
            check=True, capture_output=True, text=True)
        return made.stdout.strip()

    def copy_user(self, prefix: str, copies: int, shift: str = SHIFT):
        """Copies its one user, and makes the standings of the copies as the product would."""
        copy_user_of_gatepass(self._bench.mariadb, self.database, prefix, copies, shift)
        subprocess.run(
            self._command("projection", "rebuild"), env=self._environment(), cwd=self._bench.directory, check=True,
            stdout=subprocess.DEVNULL)

    def _command(self, *verb: str) -> list:
        tools = self._bench.tools
        return [
            tools.binary("gatepass"), *verb, "--config", tools.path("scripts/bench/config/gatepass.yaml"),
            "--catalog", self.catalogue, "--migrations", tools.migrations,
        ]

    def _environment(self) -> dict:
        bench = self._bench
        settings = {
            "ENVIRONMENT": "development",
            "HTTP_HOST": "127.0.0.1",
            "HTTP_PORT": str(self.port),
            "DATABASE_SOCKET": bench.mariadb.socket,
            "DATABASE_NAME": self.database,
            "DATABASE_USER": bench.mariadb.user,
            "AUTH_HS256_SECRET": bench.secret,
            "APPLE_TRUST_ROOTS": bench.mint.root,
            "SANDBOX_ACCESS": "nobody",
            "STRIPE_SIGNING_SECRETS": cards.SECRET,
            "ACCOUNT_TOKENS_LEGACY_HEX_USER_ID": "true",
            "CREDITS_USER_SPEND": "true",
            "RATE_LIMITS_ATTACH_PER_MINUTE": "0",
            "RATE_LIMITS_RESTORE_PER_MINUTE": "0",
            "RATE_LIMITS_READ_PER_MINUTE": "0",
            "MIGRATIONS_ON_START": "apply",
            "CATALOG_ON_CHANGE": "apply",
        } | self._settings
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GATEPASS_")}
        environment.update(("GATEPASS_" + name, value) for name, value in settings.items() if value is not None)
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return environment


class Ceiling(Server):
    """Hummingbird with a fixed body behind the product's bearer check."""

    def __init__(self, bench):
        super().__init__("ceiling", bench.children)
        self._bench = bench

    def launch(self, body: bytes):
        self.port = free_port()
        path = os.path.join(self._bench.directory, "ceiling-body.json")
        with open(path, "wb") as file:
            file.write(body)
        self.start(
            [
                self._bench.tools.binary("Benchmarks"), "ceiling", "--port", str(self.port),
                "--secret", self._bench.secret, "--body", path,
            ]
        )


class Baseline(Server):
    """A Python server with two workers: `kind` is `full` or `lean`."""

    def __init__(self, bench, kind: str):
        super().__init__(kind, bench.children)
        self._bench = bench
        self.database = kind
        if kind == "lean":
            self.purchases = "apple_iap_transactions"

    def create(self):
        """Makes its tables anew."""
        bench = self._bench
        bench.mariadb.create(self.database)
        bench.mariadb.execute_file(bench.tools.path("scripts/bench/baseline", self.name, "tables.sql"), self.database)

    def launch(self):
        bench = self._bench
        self.port = free_port()
        environment = dict(
            os.environ,
            BASELINE_DATABASE_SOCKET=bench.mariadb.socket,
            BASELINE_DATABASE_NAME=self.database,
            BASELINE_DATABASE_USER=bench.mariadb.user,
            BASELINE_HS256_SECRET=bench.secret,
            BASELINE_ROOT_CERTIFICATE=bench.mint.root,
            BASELINE_CATALOG=bench.tools.path("scripts/bench/config/catalog.yaml"),
            BASELINE_PORT=str(self.port),
            PYTHONDONTWRITEBYTECODE="1",
        )
        self.start(
            [bench.tools.python, "serve.py", self.name], cwd=bench.tools.path("scripts/bench/baseline"),
            env=environment)
