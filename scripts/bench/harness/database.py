"""A private MariaDB: its own directory and socket, no network, durable at every commit."""

import os
import subprocess
import time

from harness.processes import Children

OPTIONS = [
    "--skip-networking", "--skip-log-bin", "--skip-name-resolve", "--performance-schema=OFF",
    "--innodb-flush-log-at-trx-commit=1", "--innodb-doublewrite=ON", "--innodb-buffer-pool-size=2G",
    "--innodb-log-file-size=1G", "--max-connections=128", "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_nopad_bin",
]

SETTLED_PAGES = 200


class PrivateMariaDB:
    """The server that every figure with a database is taken on."""

    def __init__(self, directory: str, children: Children):
        self._directory = directory
        self._children = children
        self._account = ["--user=root"] if os.getuid() == 0 else []
        self.user = "root" if os.getuid() == 0 else os.environ["USER"]
        self.socket = os.path.join(directory, "db.sock")
        self.process = None

    def start(self):
        data = os.path.join(self._directory, "data")
        subprocess.run(
            [
                "mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
                "--auth-root-authentication-method=socket", f"--auth-root-socket-user={self.user}",
            ] + self._account,
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.process = self._children.start(
            "mariadb",
            ["mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={self.socket}",
             f"--pid-file={self._directory}/db.pid", f"--tmpdir={self._directory}"] + OPTIONS + self._account,
        )
        for _ in range(600):
            if os.path.exists(self.socket) and self._client(["-e", "SELECT 1"]).returncode == 0:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("MariaDB did not start; see mariadb.log")

    def create(self, name: str):
        self.execute(f"DROP DATABASE IF EXISTS `{name}`; CREATE DATABASE `{name}`")

    def execute_file(self, path: str, name: str):
        with open(path, encoding="utf-8") as file:
            self.execute(file.read(), name)

    def settle(self, patience: float = 120):
        """Waits until what was written stands in the data files, so that it burdens no measurement."""
        self.execute("SET GLOBAL innodb_max_dirty_pages_pct = 0")
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            dirty = self.execute("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'").split()[-1]
            if int(dirty) < SETTLED_PAGES:
                break
            time.sleep(0.5)
        self.execute("SET GLOBAL innodb_max_dirty_pages_pct = DEFAULT")

    def execute(self, statements: str, name: str = "") -> str:
        """Runs statements; what they select comes back as lines of tab-separated cells."""
        done = self._client(["-N", "-B"] + ([name] if name else []), statements)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace").strip())
        return done.stdout.decode()

    def number(self, statement: str, name: str) -> int:
        return int(self.execute(statement, name).strip() or 0)

    def _client(self, arguments: list, statements: str = "") -> subprocess.CompletedProcess:
        return subprocess.run(
            ["mariadb", "--no-defaults", f"--socket={self.socket}", f"--user={self.user}"] + arguments,
            input=statements.encode(), capture_output=True,
        )
