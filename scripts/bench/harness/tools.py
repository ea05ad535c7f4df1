"""Installs and builds what a run needs, and finds it."""

import os
import shutil
import subprocess
import sys

PACKAGES = {"wrk": "wrk", "mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client"}


class Tools:
    """Where the programs are."""

    def __init__(self, repository: str, scratch: str | None, program: str | None, migrations: str | None):
        self.repository = repository
        self.migrations = migrations or self.path("migrations")
        self._scratch = scratch
        # Programs that are not built here, by name.
        self._given = _beside(program) if program else {}
        self._environment = os.path.join(repository, ".venv", "bench")
        self._binaries = ""

    def install(self):
        missing = {package for program, package in PACKAGES.items() if shutil.which(program) is None}
        try:
            import ensurepip  # noqa: F401
            import venv  # noqa: F401
        except ImportError:
            missing.add("python3-venv")
        if missing:
            _as_root(["apt-get", "update", "-qq"])
            _as_root(["apt-get", "install", "-y", "-qq", "--no-install-recommends"] + sorted(missing))
        self._make_environment()

    def _make_environment(self):
        requirements = os.path.join(self.repository, "scripts/bench/baseline/requirements.txt")
        stamp = os.path.join(self._environment, "requirements.txt")
        if _same(requirements, stamp):
            return
        subprocess.run([sys.executable, "-m", "venv", self._environment], check=True)
        subprocess.run([self.python, "-m", "pip", "install", "-q", "-r", requirements], check=True)
        shutil.copy(requirements, stamp)

    def build(self, products: list):
        products = [product for product in products if product not in self._given]
        if not products:
            return
        command = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--package-path", self.repository]
        if self._scratch:
            command += ["--scratch-path", self._scratch]
        for product in products:
            subprocess.run(command + ["--product", product], check=True, stdout=sys.stderr)
        shown = subprocess.run(command + ["--show-bin-path"], check=True, capture_output=True, text=True)
        self._binaries = shown.stdout.strip()

    @property
    def python(self) -> str:
        return os.path.join(self._environment, "bin", "python")

    def signing(self, *verb: str, given: str = "") -> str:
        """What `signing.py` prints."""
        command = [self.python, self.path("scripts/bench/signing.py"), *verb]
        return subprocess.run(command, check=True, input=given, stdout=subprocess.PIPE, text=True).stdout

    def binary(self, name: str) -> str:
        return self._given.get(name) or os.path.join(self._binaries, name)

    def path(self, *parts: str) -> str:
        return os.path.join(self.repository, *parts)


def _beside(program: str) -> dict:
    """The server that is named, and the mint of the same build where there is one."""
    program = os.path.abspath(program)
    mint = os.path.join(os.path.dirname(program), "Benchmarks")
    return {"gatepass": program} | ({"Benchmarks": mint} if os.path.exists(mint) else {})


def _same(one: str, other: str) -> bool:
    if not os.path.exists(other):
        return False
    with open(one, "rb") as left, open(other, "rb") as right:
        return left.read() == right.read()


def _as_root(command: list):
    if os.getuid() != 0:
        if shutil.which("sudo") is None:
            raise RuntimeError("needs root or sudo for: " + " ".join(command))
        command = ["sudo"] + command
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
