"""Many users at once: copies of one user whose rows a server itself recorded, each with identities of their own."""

import re

USERS_A_STATEMENT = 10_000
TEXTS_IN_FULL_UP_TO = 200_000
# No two users among 43 million have the same instants: the step shares no divisor with the span of 12 hours.
SHIFT = "(s.seq * 7919) % 43200000"


def copy_user_of_gatepass(mariadb, database: str, prefix: str, copies: int, shift: str = SHIFT):
    """Copies the one user in `database`: other purchases, another Apple account, every instant earlier by `shift`.

    Hashes are random, and in large databases the signed texts are cut short: nothing that is measured reads them.
    """
    span = {table: mariadb.number(f"SELECT MAX(id) - MIN(id) + 1 FROM {table}", database)
            for table in ("purchases", "apple_iap_transactions")}
    user = "t.{} + s.seq"
    purchase = f"t.{{}} + s.seq * {span['purchases']}"
    state = f"t.{{}} + s.seq * {span['apple_iap_transactions']}"
    external = f"CONCAT('9', LPAD({purchase}, 15, '0'))"
    account = "LEFT(SHA2(CONCAT('account', s.seq), 256), LENGTH(t.{}))"
    digest = f"UNHEX(SHA2(CONCAT('{{}}', {state.format('id')}), 256))"
    content = _renamed_content(mariadb, database, external, account, shift)
    bytes_of_text = 1 << 20 if copies * span["purchases"] <= TEXTS_IN_FULL_UP_TO else 64
    changes = {
        "users": {"pseudonym": user, "user_id": f"CONCAT('{prefix}', s.seq)"},
        "purchases": {"id": purchase, "user_id": user, "external_id": external.format("id")},
        "apple_iap_transactions": {
            "id": state, "purchase_id": purchase, "user_id": user, "transaction_id": external.format("purchase_id"),
            "original_transaction_id": external.format("purchase_id"), "content_hash": digest, "jws_hash": digest,
            "app_transaction_id": account, "statement": content,
        },
        "signed_texts": {"state_id": state, "jws": f"LEFT(t.{{}}, {bytes_of_text})"},
        "ledger_entries": {"user_id": user, "purchase_id": purchase, "state_id": state, "content": content},
        "subscriptions": {"purchase_id": purchase, "user_id": user, "external_id": external.format("purchase_id")},
    }
    _copy(mariadb, database, changes, copies, shift)


def copy_user_of_lean_baseline(mariadb, database: str, prefix: str, copies: int):
    """The same for the lean baseline."""
    rows = mariadb.number("SELECT MAX(id) - MIN(id) + 1 FROM apple_iap_transactions", database)
    audits = mariadb.number("SELECT MAX(id) - MIN(id) + 1 FROM audit_entries", database)
    user = f"CONCAT('{prefix}', s.seq)"
    # The numbers of the user's purchases follow one another.
    external = "CONCAT('9', LPAD(RIGHT(t.{}, 9) + s.seq * " + str(rows) + ", 15, '0'))"
    changes = {
        "apple_iap_transactions": {
            "id": f"t.{{}} + s.seq * {rows}", "user_id": user, "original_transaction_id": external,
            "transaction_id": external,
        },
        "subscriptions": {"user_id": user, "original_transaction_id": external},
        "audit_entries": {"id": f"t.{{}} + s.seq * {audits}", "user_id": user},
    }
    _copy(mariadb, database, changes, copies)


def _renamed_content(mariadb, database: str, external: str, account: str, shift: str) -> str:
    """A fact's text with the copy's numbers, instants and account."""
    texts = mariadb.execute("SELECT content FROM ledger_entries", database)
    content = "t.{}"
    for line in mariadb.execute("SELECT id, external_id FROM purchases", database).splitlines():
        row, number = line.split("\t")
        renamed = external.replace("t.{}", row)
        content = f"REPLACE({content}, '{number}', {renamed})"
    for instant in sorted(set(re.findall(r"\b1\d{12}\b", texts))):
        content = f"REPLACE({content}, '{instant}', {instant} - {shift})"
    label = mariadb.execute(
        "SELECT DISTINCT app_transaction_id FROM apple_iap_transactions WHERE app_transaction_id IS NOT NULL",
        database).strip()
    if label not in texts:
        raise RuntimeError("the Apple account's label does not stand in the facts")
    renamed = account.replace("t.{}", f"'{label}'")
    return f"REPLACE({content}, '{label}', {renamed})"


def _copy(mariadb, database: str, changes: dict, copies: int, shift: str = SHIFT):
    for table, changed in changes.items():
        columns = mariadb.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
            f"AND table_name = '{table}' AND is_generated = 'NEVER' ORDER BY ordinal_position", database).split()

        def value(column: str) -> str:
            usual = f"t.{{}} - {shift}" if column.endswith("_at") else "t.{}"
            return changed.get(column, usual).replace("{}", column)

        mariadb.execute(f"CREATE TABLE template_{table} AS SELECT * FROM {table}", database)
        for first in range(1, copies + 1, USERS_A_STATEMENT):
            last = min(copies, first + USERS_A_STATEMENT - 1)
            mariadb.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(map(value, columns))} "
                f"FROM seq_{first}_to_{last} s STRAIGHT_JOIN template_{table} t ORDER BY s.seq", database)
        mariadb.execute(f"DROP TABLE template_{table}; ANALYZE TABLE {table}", database)
