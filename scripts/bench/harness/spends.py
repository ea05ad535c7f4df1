"""Users with few and with many spends. The many are written into the database, as the server itself writes them."""

import json
import os
import secrets

from harness.bench import Bench, seed
from harness.keepalive import KeptConnection, request
from harness.load import LoadFailed, exchange
from harness.minting import read_requests, user_of

FEW_SPENDS, MANY_SPENDS = 50, 50_000
UNITS_A_PACK = 100
# For what is measured: credits that never run out.
RESERVE = 1_000_000
ENTRIES_A_STATEMENT = 1_000
MILLISECONDS_APART = 60_000
MILLISECONDS_A_DAY = 86_400_000

_APPEND = """INSERT INTO ledger_entries
    (user_id, seq, recorded_at, effective_at, kind, is_own_act, content, note_digest, hash) VALUES """


class Spenders:
    def __init__(self, bench: Bench):
        self._bench = bench
        self._key = bench.gatepass.key("read,write")
        self._grants = 0

    def few(self, users: int) -> list:
        """The tokens of users who have spent half a pack."""
        tokens = self._buyers(users, 1)
        with KeptConnection(self._bench.gatepass) as connection:
            for token in tokens:
                self._grant_reserve(token)
                for number in range(FEW_SPENDS):
                    self._spend(connection, token, f"few-{number}")
        return tokens

    def many(self) -> str:
        """The token of a user who has used up 500 packs, unit by unit."""
        token, = self._buyers(1, MANY_SPENDS // UNITS_A_PACK)
        with KeptConnection(self._bench.gatepass) as connection:
            self._spend(connection, token, "first")
        self._bench.gatepass.stop()
        self._continue_spending(user_of(token))
        self._bench.gatepass.launch()
        self._grant_reserve(token)
        return token

    def _buyers(self, users: int, packs: int) -> list:
        path = self._bench.mint.fresh(users, packs, credits=True)
        requests = read_requests(path)
        os.unlink(path)
        seed(self._bench.gatepass, requests)
        return [token for token, _ in requests]

    def _grant_reserve(self, token: str):
        self._grants += 1
        body = {"kind": "credits", "unit": "credit", "amount": RESERVE, "reason": "bench", "reference": "bench"}
        code, answer = exchange(
            self._bench.gatepass, "POST", f"/api/admin/users/{user_of(token)}/grants", self._key, body,
            **{"Idempotency-Key": f"reserve-{self._grants}"})
        if code not in (200, 201):
            raise LoadFailed(f"grant: {code} {answer[:300]!r}")

    def _spend(self, connection: KeptConnection, token: str, name: str):
        body = {"amount": 1, "reference": "bench"}
        code, answer = connection.ask(
            request("POST", "/api/credits/credit/spend", token, body, **{"Idempotency-Key": name}))
        if code not in (200, 201):
            raise LoadFailed(f"spend: {code} {answer[:300]!r}")

    def _continue_spending(self, user: str):
        """Writes the spends after the first, a minute apart, pack by pack.

        What was recorded so far becomes so much older that the last of them was yesterday: in a day only so many are
        allowed.
        """
        database, mariadb = self._bench.gatepass.database, self._bench.mariadb
        pseudonym = mariadb.number(f"SELECT pseudonym FROM users WHERE user_id = '{user}'", database)
        past = MANY_SPENDS * MILLISECONDS_APART + MILLISECONDS_A_DAY
        signed_at = "JSON_VALUE(content, '$[1]')"
        mariadb.execute(
            f"UPDATE ledger_entries SET content = REPLACE(content, {signed_at}, {signed_at} - {past}) "
            f"WHERE user_id = {pseudonym} AND kind = 'purchase_state'; "
            f"UPDATE ledger_entries SET recorded_at = recorded_at - {past}, effective_at = effective_at - {past} "
            f"WHERE user_id = {pseudonym}", database)
        newest = mariadb.execute(
            f"SELECT seq, recorded_at, content FROM ledger_entries WHERE user_id = {pseudonym} "
            "ORDER BY seq DESC LIMIT 1", database).split("\t")
        length, recorded_at, first = int(newest[0]), int(newest[1]), json.loads(newest[2])
        (pack, _), = first[5]
        rows = []
        for number in range(1, MANY_SPENDS):
            lot = pack[:3] + [str(int(pack[3]) + number // UNITS_A_PACK)]
            content = [_label(), _label(), *first[2:5], [[lot, "1"]], str(MANY_SPENDS - 1 - number)]
            at, head = recorded_at + number * MILLISECONDS_APART, secrets.token_hex(32)
            text = json.dumps(content, separators=(",", ":"))
            rows.append(
                f"({pseudonym},{length + number},{at},{at},'spent',1,'{text}',X'{secrets.token_hex(32)}',X'{head}')")
        for start in range(0, len(rows), ENTRIES_A_STATEMENT):
            mariadb.execute(_APPEND + ",".join(rows[start:start + ENTRIES_A_STATEMENT]), database)
        mariadb.execute(
            f"UPDATE users SET ledger_length = {length + MANY_SPENDS - 1}, last_recorded_at = {at}, "
            f"head_hash = X'{head}' WHERE pseudonym = {pseudonym}", database)


def _label() -> str:
    """Of the form of those that stand for names."""
    return secrets.token_urlsafe(16)
