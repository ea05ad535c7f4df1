"""A `gatepass dev` on a free port with a folder of its own, and what customers and staff do there."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Server:
    """The server runs while a `with` block does."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = tempfile.mkdtemp(prefix="gatepass-pages-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = pathlib.Path(self.folder, "gatepass.yaml")
        settings.write_text("sandbox_access: testers\nrate_limits: {read_per_minute: 0}\n")
        shutil.copy(ROOT / "config/catalog.yaml", self.folder)
        self.options = [
            "--config", str(settings), "--catalog", self.folder + "/catalog.yaml", "--data-dir", self.folder + "/data",
        ]

    def __enter__(self):
        self.log = open(self.folder + "/log", "w+")
        self.process = subprocess.Popen(
            [self.program, "dev", "--port", str(self.port), *self.options], cwd=ROOT, stdout=self.log,
            stderr=subprocess.STDOUT, start_new_session=True)
        for _ in range(600):
            text = pathlib.Path(self.folder, "log").read_text()
            found = re.search(r"(http://\S+)(/dashboard/link/\S+)", text)
            if found:
                self.address, self.link = found.groups()
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.__exit__()
        raise SystemExit("gatepass dev did not start:\n" + text)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def gatepass(self, *words):
        """What a command prints. Fails if the command does."""
        done = subprocess.run(
            [self.program, *words, *self.options], cwd=ROOT, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"gatepass {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def invite(self, name):
        """The path of a link that sets the password of a new person."""
        printed = self.gatepass("staff", "create", name, "--role", "viewer")
        return re.search(r"/dashboard/link/\S+", printed).group()

    def send(self, method, path, body, token):
        """The JSON of an answer. Fails if it is a refusal."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", json.dumps(body).encode(), method=method,
            headers={
                "Authorization": "Bearer " + token, "Content-Type": "application/json",
                "Idempotency-Key": os.urandom(8).hex(),
            })
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")
