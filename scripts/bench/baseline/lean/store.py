"""The one transaction that writes and the one SELECT that reads, over the tables of `tables.sql`."""

import time

import orjson

from database import flat, in_transaction, many, open_pool

OWNED_BY_ANOTHER = "owned_by_another_user"

_LOCK_USER = "SELECT original_transaction_id FROM subscriptions WHERE user_id = %s FOR UPDATE"

_INSERT = """INSERT IGNORE INTO apple_iap_transactions (original_transaction_id, user_id, transaction_id, product_id,
 environment, purchased_at, revoked_at, recorded_at) VALUES {}"""

_OWNERS = "SELECT original_transaction_id, user_id FROM apple_iap_transactions WHERE original_transaction_id IN %s"

_SUBSCRIBE = """INSERT INTO subscriptions (user_id, original_transaction_id, product_id, tier, expires_at) VALUES {}
 ON DUPLICATE KEY UPDATE expires_at = LEAST(expires_at, VALUES(expires_at))"""

_AUDIT = "INSERT INTO audit_entries (user_id, action, details, recorded_at) VALUES (%s, %s, %s, %s)"

_HELD = "SELECT tier, MAX(expires_at), COUNT(*) FROM subscriptions WHERE user_id = %s GROUP BY tier"


class Store:
    def __init__(self, settings, catalog):
        self._settings = settings
        self._catalog = catalog
        self._pool = None

    async def open(self):
        self._pool = await open_pool(self._settings)

    async def close(self):
        self._pool.close()
        await self._pool.wait_closed()

    async def held(self, user: str) -> list:
        """What the user has, by tier: `(tier, when the last purchase of it ends, how many there are)`."""
        async with self._pool.acquire() as connection:
            async with connection.cursor() as cursor:
                await cursor.execute(_HELD, (user,))
                return await cursor.fetchall()

    async def attach(self, user: str, purchases: list) -> tuple:
        """What became of each purchase, in order, and what the user has after it."""
        return await in_transaction(self._pool, lambda cursor: self._attach(cursor, user, purchases))

    async def _attach(self, cursor, user: str, purchases: list) -> tuple:
        now = time.time_ns() // 1_000_000
        await cursor.execute(_LOCK_USER, (user,))
        known = {row[0] for row in await cursor.fetchall()}
        rows = [
            (p.original_transaction_id, user, p.transaction_id, p.product_id, p.environment, p.purchased_at,
             p.revoked_at, now)
            for p in purchases
        ]
        inserted = await cursor.execute(many(_INSERT, rows), flat(rows))
        owners = {}
        if inserted < len(rows):
            await cursor.execute(_OWNERS, (tuple(p.original_transaction_id for p in purchases),))
            owners = dict(await cursor.fetchall())
        outcomes = []
        for purchase in purchases:
            if owners.get(purchase.original_transaction_id, user) != user:
                outcomes.append(OWNED_BY_ANOTHER)
            else:
                outcomes.append("already_attached" if purchase.original_transaction_id in known else "attached")
        subscriptions = [
            (user, p.original_transaction_id, p.product_id, product.tier.id,
             p.revoked_at or p.purchased_at + product.length_ms * p.quantity)
            for p, outcome in zip(purchases, outcomes)
            if outcome != OWNED_BY_ANOTHER and (product := self._catalog.products.get(p.product_id)) and product.tier
        ]
        if subscriptions:
            await cursor.execute(many(_SUBSCRIBE, subscriptions), flat(subscriptions))
        details = [[p.original_transaction_id, outcome] for p, outcome in zip(purchases, outcomes)]
        await cursor.execute(_AUDIT, (user, "attach", orjson.dumps(details).decode(), now))
        await cursor.execute(_HELD, (user,))
        return outcomes, await cursor.fetchall()
