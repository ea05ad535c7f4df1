"""Children of the run: each is stopped by its process id, however the run ends."""

import ctypes
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Children:
    """All processes of a run; leaving the context stops them in reverse order."""

    def __init__(self, log_directory: str):
        self._log_directory = log_directory
        self._running: list[subprocess.Popen] = []

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *_):
        for child in reversed(list(self._running)):
            self.stop(child)

    def start(self, name: str, command: list, **options) -> subprocess.Popen:
        """Starts a process in a group of its own; what it says goes to `<name>.log`."""
        with open(os.path.join(self._log_directory, name + ".log"), "ab") as log:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=_die_with_parent, **options,
            )
        self._running.append(child)
        return child

    def stop(self, child: subprocess.Popen, patience: float = 15):
        """SIGTERM, then after `patience` seconds SIGKILL to the child's own group."""
        if child in self._running:
            self._running.remove(child)
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(patience)
            except subprocess.TimeoutExpired:
                _kill_group(child.pid)
                child.wait()
        _kill_group(child.pid)


def _kill_group(leader: int):
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_ready(url: str, child: subprocess.Popen, seconds: float, interval: float = 0.05):
    """Waits for a 2xx; raises when the process ends first or time runs out."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if child.poll() is not None:
            raise RuntimeError(f"{child.args[0]} ended with {child.returncode} before it was ready; see its log")
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status < 300:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(interval)
    raise RuntimeError(f"{child.args[0]} was not ready within {seconds} s; see its log")


def processor_seconds(group: int) -> float:
    """What a process and its workers have computed so far, user and system together."""
    ticks = 0
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_mib(process_id: int) -> float:
    with open(f"/proc/{process_id}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0
