"""What one asker's load costs everybody else, and whom a login that stalls shuts out."""

import resource

from harness import dear, stalling
from harness.bench import Bench
from harness.logins import Logins
from harness.others import Others

BESIDE_OTHERS = {
    "names": dear.names,
    "bodies": stalling.bodies,
    "reads": dear.reads,
    "products": dear.products,
    "refused": dear.refused,
}
CASES = [*BESIDE_OTHERS, "login"]


def strangers(bench: Bench):
    """Each case by itself; the logins are begun first and measured last, because their keys must grow old."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    chosen, others = bench.arguments.cases, Others(bench, "strangers")
    with Logins(bench) as logins:
        if "login" in chosen:
            logins.begin()
        for name, case in BESIDE_OTHERS.items():
            if name in chosen:
                _measure(bench, name, lambda: case(bench, others))
        others.stop()
        if "login" in chosen:
            _measure(bench, "login", logins.measure)


def _measure(bench: Bench, name: str, case):
    try:
        case()
    except Exception as error:  # The other cases are still worth having.
        bench.report.problem(f"strangers, {name}: {type(error).__name__}: {error}")
