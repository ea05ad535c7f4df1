"""Runs a baseline with two workers: `serve.py full` or `serve.py lean`."""

import sys

import uvicorn

from settings import Settings

if __name__ == "__main__":
    uvicorn.run(
        f"{sys.argv[1]}.app:app",
        host="127.0.0.1",
        port=Settings.from_environment().port,
        workers=2,
        # A worker that verifies a hundred texts on a busy machine is not hung.
        timeout_worker_healthcheck=60,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=True,
    )
