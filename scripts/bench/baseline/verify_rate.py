"""How many transactions Apple's library verifies in a second, on one core, its chain cache warm.

usage: verify_rate.py ROOT CATALOG SECONDS < signed texts, one a line
"""

import sys
import time

from catalog import Catalog
from evidence import EvidenceVerifier


def main():
    catalog = Catalog(sys.argv[2])
    verifier = EvidenceVerifier(sys.argv[1], catalog.bundle_id, catalog.app_apple_id)
    texts = [line.strip() for line in sys.stdin]
    for text in texts[:50]:
        verifier.verify(text)
    count, start = 0, time.perf_counter()
    deadline = start + float(sys.argv[3])
    while time.perf_counter() < deadline:
        for _ in range(10):
            verifier.verify(texts[count % len(texts)])
            count += 1
    print(count / (time.perf_counter() - start))


if __name__ == "__main__":
    main()
