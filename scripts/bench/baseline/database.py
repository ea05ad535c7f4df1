"""The pool, transactions with a retry on deadlocks, and bulk statements."""

import asyncio
import random

import asyncmy
from asyncmy.errors import MySQLError

POOL_SIZE = 16
DEADLOCK, LOCK_TIMEOUT, ROW_CHANGED = 1213, 1205, 1020
RETRIES = 20


async def open_pool(settings):
    return await asyncmy.create_pool(
        minsize=POOL_SIZE,
        maxsize=POOL_SIZE,
        unix_socket=settings.database_socket,
        user=settings.database_user,
        db=settings.database_name,
        autocommit=True,
        init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    )


async def in_transaction(pool, write):
    """What `write`, which is handed a cursor, returns; again from the start when the database asks for that."""
    for attempt in range(RETRIES):
        try:
            async with pool.acquire() as connection:
                return await _once(connection, write)
        except MySQLError as error:
            if error.args[0] not in (DEADLOCK, LOCK_TIMEOUT, ROW_CHANGED) or attempt == RETRIES - 1:
                raise
            await asyncio.sleep(random.uniform(0, 0.002 * (attempt + 1)))


async def _once(connection, write):
    async with connection.cursor() as cursor:
        await connection.begin()
        try:
            answer = await write(cursor)
            await connection.commit()
            return answer
        except BaseException:
            await connection.rollback()
            raise


def many(statement: str, rows: list) -> str:
    """`statement` with a group of placeholders for each row."""
    row = "(" + ",".join(["%s"] * len(rows[0])) + ")"
    return statement.format(",".join([row] * len(rows)))


def flat(rows: list) -> list:
    return [value for row in rows for value in row]
