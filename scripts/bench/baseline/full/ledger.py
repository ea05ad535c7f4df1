"""The one write path and the one read path, over the tables of `tables.sql`."""

import hashlib
import time

from database import flat, in_transaction, many, open_pool
from evidence import Purchase
from full.timeline import Timeline

_STATE = """t.app, t.environment, t.transaction_id, t.original_transaction_id, t.period_id, t.product_id, t.product_type,
 t.purchase_at, t.original_purchase_at, t.expires_at, t.quantity, t.is_family_shared, t.is_upgraded, t.revocation_at,
 t.share, t.app_account_token, t.app_transaction_id, t.signed_at"""

_LEDGER_OF_USER = f"""SELECT l.kind, l.purchase_id, {_STATE}
 FROM users u STRAIGHT_JOIN ledger_entries l ON l.user_id = u.pseudonym
 LEFT JOIN apple_iap_transactions t ON t.id = l.state_id WHERE u.user_id = %s ORDER BY l.seq"""

_LEDGER_OF_PSEUDONYM = f"""SELECT l.kind, l.purchase_id, {_STATE}
 FROM ledger_entries l LEFT JOIN apple_iap_transactions t ON t.id = l.state_id WHERE l.user_id = %s ORDER BY l.seq"""

_LOCK_USER = """INSERT INTO users (user_id, created_at) VALUES (%s, %s) ON DUPLICATE KEY UPDATE user_id = user_id
 RETURNING pseudonym, ledger_length, last_recorded_at, head_hash"""

_LOCK_OWNERS = """SELECT pseudonym, ledger_length, last_recorded_at, head_hash FROM users WHERE pseudonym IN %s
 ORDER BY pseudonym FOR UPDATE"""

_LOCK_PURCHASES = """INSERT INTO purchases (source, app, environment, external_id) VALUES {}
 ON DUPLICATE KEY UPDATE external_id = external_id RETURNING id, user_id"""

_STATES = """SELECT id, purchase_id, transaction_id, signed_at, content_hash, text_of FROM apple_iap_transactions
 WHERE purchase_id IN %s ORDER BY id"""

_INSERT_STATES = """INSERT INTO apple_iap_transactions (purchase_id, app, environment, transaction_id,
 original_transaction_id, period_id, user_id, product_id, product_type, purchase_at, original_purchase_at, expires_at,
 quantity, is_family_shared, is_upgraded, revocation_at, share, app_account_token, app_transaction_id, signed_at,
 recorded_at, content_hash, jws_hash, text_of) VALUES {} RETURNING id"""

_INSERT_TEXTS = "INSERT INTO signed_texts (state_id, jws) VALUES {}"

_BIND = "UPDATE purchases SET user_id = %s, bound_at = %s WHERE id IN %s"

_BIND_STATES = "UPDATE apple_iap_transactions SET user_id = %s WHERE purchase_id IN %s AND user_id IS NULL"

_APPEND = """INSERT INTO ledger_entries (user_id, seq, recorded_at, effective_at, kind, purchase_id, state_id, hash)
 VALUES {}"""

_MOVE_HEAD = "UPDATE users SET ledger_length = %s, last_recorded_at = %s, head_hash = %s WHERE pseudonym = %s"

_PROJECT = """INSERT INTO subscriptions (purchase_id, user_id, source, external_id, environment, product_id, tier,
 starts_at, expires_at) VALUES {} ON DUPLICATE KEY UPDATE user_id = VALUES(user_id), product_id = VALUES(product_id),
 tier = VALUES(tier), starts_at = VALUES(starts_at), expires_at = VALUES(expires_at)"""


class Head:
    """Where a user's ledger stands, and the entries to append to it."""

    def __init__(self, row: tuple):
        self.pseudonym, self.length, self.last_recorded_at, self.hash = row
        self.appended: list = []

    def append(self, now: int, effective_at: int, kind: str, purchase: int, state: int | None):
        self.length += 1
        self.last_recorded_at = max(now, self.last_recorded_at + 1)
        fields = (
            self.hash, self.pseudonym, self.length, self.last_recorded_at, effective_at, kind, purchase, state,
        )
        self.hash = hashlib.sha256(repr(fields).encode()).digest()
        self.appended.append(
            (self.pseudonym, self.length, self.last_recorded_at, effective_at, kind, purchase, state, self.hash)
        )


class Ledger:
    def __init__(self, settings, catalog):
        self._settings = settings
        self._catalog = catalog
        self._pool = None

    async def open(self):
        self._pool = await open_pool(self._settings)

    async def close(self):
        self._pool.close()
        await self._pool.wait_closed()

    async def timeline(self, user: str) -> Timeline:
        async with self._pool.acquire() as connection:
            async with connection.cursor() as cursor:
                await cursor.execute(_LEDGER_OF_USER, (user,))
                return Timeline(_entries(await cursor.fetchall()), self._catalog)

    async def record(self, user: str, purchases: list) -> tuple:
        """Records and binds; what every purchase came to, in order, and the user's timeline after it."""
        return await in_transaction(self._pool, lambda cursor: self._write(cursor, user, purchases))

    async def _write(self, cursor, user: str, purchases: list) -> tuple:
        now = time.time_ns() // 1_000_000
        await cursor.execute(_LOCK_USER, (user, now))
        head = Head(await cursor.fetchone())
        keys = sorted({purchase.key for purchase in purchases})
        await cursor.execute(many(_LOCK_PURCHASES, keys), flat(keys))
        locked = dict(zip(keys, await cursor.fetchall()))
        ids = tuple(row[0] for row in locked.values())
        heads = {head.pseudonym: head}
        others = {row[1] for row in locked.values()} - {None, head.pseudonym}
        if others:
            await cursor.execute(_LOCK_OWNERS, (tuple(others),))
            heads.update((row[0], Head(row)) for row in await cursor.fetchall())
        entries = []
        if head.length:
            await cursor.execute(_LEDGER_OF_PSEUDONYM, (head.pseudonym,))
            entries = _entries(await cursor.fetchall())
        known = {}
        await cursor.execute(_STATES, (ids,))
        for state_id, purchase_id, transaction_id, signed_at, content, text_of in await cursor.fetchall():
            known.setdefault((purchase_id, transaction_id, content), {})[signed_at] = (state_id, text_of)

        new, texts, unbound, outcomes = [], [], {}, []
        for purchase in purchases:
            purchase_id, owner = locked[purchase.key]
            content = purchase.content_hash()
            alike = known.setdefault((purchase_id, purchase.transaction_id, content), {})
            if purchase.signed_at not in alike:
                text_of = next((text or state for state, text in alike.values()), None)
                alike[purchase.signed_at] = (0, text_of)
                new.append((purchase, purchase_id, owner or head.pseudonym, owner is None, content, text_of))
            if owner is None:
                unbound[purchase_id] = purchase
                outcomes.append("attached")
            else:
                outcomes.append("already_attached" if owner == head.pseudonym else "owned_by_another_user")
        await self._write_states(cursor, now, new, heads, entries, head)
        if unbound:
            await cursor.execute(_BIND, (head.pseudonym, now, tuple(unbound)))
            if len(known) > len(new):
                await cursor.execute(_BIND_STATES, (head.pseudonym, tuple(unbound)))
            for purchase_id in unbound:
                head.append(now, now, "bound", purchase_id, None)
        timeline = Timeline(entries, self._catalog)
        await self._append(cursor, heads, head, timeline)
        return outcomes, timeline, max([now] + [p.purchased_at for p in purchases if p.purchased_at <= now + 300_000])

    async def _write_states(self, cursor, now: int, new: list, heads: dict, entries: list, head: Head):
        if not new:
            return
        rows = [
            (
                purchase_id, p.app, p.environment, p.transaction_id, p.original_transaction_id, p.period_id, owner,
                p.product_id, p.product_type, p.purchased_at, p.originally_purchased_at, p.expires_at, p.quantity,
                p.is_family_shared, p.is_upgraded, p.revoked_at, p.share, p.account_token, p.app_transaction_id,
                p.signed_at, now, content, hashlib.sha256(p.jws.encode()).digest(), text_of,
            )
            for p, purchase_id, owner, _, content, text_of in new
        ]
        await cursor.execute(many(_INSERT_STATES, rows), flat(rows))
        state_ids = [row[0] for row in await cursor.fetchall()]
        texts = [(state_id, item[0].jws) for state_id, item in zip(state_ids, new) if item[5] is None]
        if texts:
            await cursor.execute(many(_INSERT_TEXTS, texts), flat(texts))
        for state_id, (purchase, purchase_id, owner, _, _, _) in zip(state_ids, new):
            heads[owner].append(now, purchase.signed_at, "evidence", purchase_id, state_id)
            if owner == head.pseudonym:
                entries.append(("evidence", purchase_id, purchase))

    async def _append(self, cursor, heads: dict, head: Head, timeline: Timeline):
        appended = [entry for each in heads.values() for entry in each.appended]
        if not appended:
            return
        await cursor.execute(many(_APPEND, appended), flat(appended))
        for each in heads.values():
            if each.appended:
                await cursor.execute(_MOVE_HEAD, (each.length, each.last_recorded_at, each.hash, each.pseudonym))
        rows = [
            (purchase_id, head.pseudonym, "apple_iap", external_id, environment, product_id, tier, starts_at, ends_at)
            for purchase_id, external_id, environment, product_id, tier, starts_at, ends_at in timeline.subscriptions()
        ]
        if rows and head.appended:
            await cursor.execute(many(_PROJECT, rows), flat(rows))


def _entries(rows: list) -> list:
    return [(row[0], row[1], Purchase(*row[2:]) if row[0] == "evidence" else None) for row in rows]
