"""Whether the lean baseline's answers are right for what it claims, before anything is compared with it."""

import base64
import json

from harness.load import ATTACH, RESTORE, STATUS, exchange
from harness.minting import read_requests, user_of

MILLISECONDS_A_DAY = 86_400_000
# As `config/catalog.yaml` has them: rank and length.
PASSES = {"basic30": ("basic", 1, 30), "pro30": ("pro", 2, 30), "pro90": ("pro", 2, 90)}


class Unsound(Exception):
    pass


def check_lean_baseline(bench):
    """A user who restores six passes and attaches one, its repeat, and what must be refused."""
    server, mariadb = bench.lean, bench.mariadb
    (mine, texts), (theirs, others) = read_requests(bench.mint.fresh(2, 6))
    code, body = _ask(server, "POST", RESTORE, mine, {"signedTransactions": texts[:5]})
    _expect(code == 200 and body["summary"] == {"attached": 5, "already_attached": 0, "refused": 0}, "restore", body)
    code, body = _ask(server, "POST", ATTACH, mine, {"signedTransactionJWS": texts[5]})
    _expect(code == 200 and body["outcome"] == "attached", "attach", body)
    told = body["status"]
    code, body = _ask(server, "POST", ATTACH, mine, {"signedTransactionJWS": texts[5]})
    _expect(code == 200 and body["outcome"] == "already_attached", "attach again", body)
    code, status = _ask(server, "GET", STATUS, mine)
    tier, expires_at = _expected(texts)
    for each in (told, status):
        _expect(
            (each["user_id"], each["active"], each["tier"], each["expires_at_ms"], each["purchases"])
            == (user_of(mine), True, tier, expires_at, 6), "status", each)
    code, body = _ask(server, "GET", STATUS, theirs)
    _expect(code == 200 and not body["active"] and body["tier"] == "free", "status of nobody", body)
    code, body = _ask(server, "POST", ATTACH, theirs, {"signedTransactionJWS": texts[0]})
    _expect(code == 409 and body["code"] == "owned_by_another_user", "attach of another's", body)
    code, body = _ask(server, "POST", RESTORE, theirs, {"signedTransactions": [texts[0], others[0]]})
    _expect(body["summary"] == {"attached": 1, "already_attached": 0, "refused": 1}, "restore of another's", body)
    code, body = _ask(server, "POST", ATTACH, theirs, {"signedTransactionJWS": _forged(others[1])})
    _expect(code == 422, "attach of a forged text", body)
    code, body = _ask(server, "GET", STATUS, theirs[:-4] + "AAAA")
    _expect(code == 401, "status with a forged token", body)
    for table, count in (("apple_iap_transactions", 6), ("subscriptions", 6), ("audit_entries", 3)):
        found = mariadb.number(f"SELECT COUNT(*) FROM {table} WHERE user_id = '{user_of(mine)}'", server.database)
        _expect(found == count, f"{count} rows in {table}", found)


def _ask(server, method: str, path: str, token: str, body=None) -> tuple:
    code, answer = exchange(server, method, path, token, body)
    return code, json.loads(answer)


def _expect(holds: bool, what: str, found):
    if not holds:
        raise Unsound(f"the lean baseline is wrong about: {what}: {found}")


def _expected(texts: list) -> tuple:
    """Expiry is the purchase date plus the days; the best tier counts, and of it the last end."""
    ends = []
    for text in texts:
        payload = text.split(".")[1]
        payload = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        tier, rank, days = PASSES[payload["productId"].rsplit(".", 1)[1]]
        ends.append((rank, tier, payload["purchaseDate"] + days * MILLISECONDS_A_DAY))
    _, tier, expires_at = max(ends)
    return tier, expires_at


def _forged(text: str) -> str:
    """The same with another signature of the right length."""
    head, signature = text.rsplit(".", 1)
    return head + "." + signature[::-1]
