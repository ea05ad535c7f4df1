"""Counts the access log on the standard input by route, method and status."""

import collections
import json
import sys

lines = (json.loads(line) for line in sys.stdin if line.startswith("{"))
tally = collections.Counter(
    (line["route"], line["method"], line["status"]) for line in lines if line["message"] == "request"
)
for (route, method, status), count in sorted(tally.items()):
    print(f"{count:7} {status} {method:8} {route}")
