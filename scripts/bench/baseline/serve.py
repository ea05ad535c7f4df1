"""Runs the baseline with two workers."""

import uvicorn

from settings import Settings

if __name__ == "__main__":
    uvicorn.run(
        "app:app",
        host="127.0.0.1",
        port=Settings.from_environment().port,
        workers=2,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=True,
    )
