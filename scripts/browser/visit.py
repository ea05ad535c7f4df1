"""Opens a page in Chromium without a window, and writes down what the page reports.

    visit.py BROWSER PORT PAGE REPORT HOST

The file PAGE is served at http://127.0.0.1:PORT/ and opened as http://HOST:PORT/. The page sends its report to /report,
which ends the visit and goes into the file REPORT.
"""

import http.server
import os
import signal
import subprocess
import sys
import tempfile
import threading

LONGEST = 90  # seconds


def main(browser, port, page, report, host):
    text = open(page, "rb").read()
    done = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(200 if self.path == "/" else 404, text if self.path == "/" else b"")

        def do_POST(self):
            said = self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(200, b"")
            with open(report, "wb") as file:
                file.write(said)
            done.set()

        def answer(self, status, body):
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        chromium = subprocess.Popen(
            [
                browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--no-proxy-server", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--user-data-dir=" + profile, f"http://{host}:{port}/",
            ],
            start_new_session=True,
        )
        try:
            found = done.wait(LONGEST)
        finally:
            os.killpg(chromium.pid, signal.SIGKILL)
            chromium.wait()
    server.shutdown()
    return 0 if found else f"the page reported nothing within {LONGEST} s"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
