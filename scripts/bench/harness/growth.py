"""Status and attach on small and large databases."""

import os

from harness.bench import PASSES_OF_STATUS_USER, Bench, interleaved, seed
from harness.load import again
from harness.minting import read_requests
from harness.report import Figure, median
from harness.servers import Gatepass
from harness.throughput import clean, fresh_load

SAMPLED_USERS = 5_000
WARM_UP_SECONDS = 3
USERS_A_STATEMENT = 20_000
TEXTS_IN_FULL_UP_TO = 200_000


def growth(bench: Bench):
    bench.start_database()
    servers = [_filled(bench, size) for size in bench.arguments.sizes]
    samples = {}
    for size, server in zip(bench.arguments.sizes, servers):
        users = size // PASSES_OF_STATUS_USER
        sampled = min(SAMPLED_USERS, users - 1)
        samples[server.name] = bench.mint.tokens(sampled, 1, max(1, (users - 1) // sampled), "g")
        server.launch()
        again(bench, server, samples[server.name], WARM_UP_SECONDS, bench.arguments.clients)
    rounds = []
    for number in range(bench.arguments.rounds):
        rates = {}
        for server in interleaved(servers, number):
            status = clean(
                bench, "growth", server,
                again(bench, server, samples[server.name], bench.arguments.seconds, bench.arguments.clients))
            attach = fresh_load(
                bench, "attach", server, 1, bench.arguments.clients, bench.arguments.seconds)
            rates[server.name] = {"status": status, "attach": attach}
        rounds.append(rates)
    for server in servers:
        server.stop()
    for size, server in list(zip(bench.arguments.sizes, servers))[1:]:
        for kind in ("status", "attach"):
            _report(bench, rounds, kind, size, servers[0].name, server.name)


def _report(bench: Bench, rounds: list, kind: str, size: int, small: str, large: str):
    """By the clock, which waits for disks and neighbours, and by what the server and MariaDB compute, which does not."""

    def clock(name: str) -> list:
        return [1e6 / each[name][kind].per_second for each in rounds]

    def cores(name: str) -> list:
        return [each[name][kind].server_cost + each[name][kind].database_cost for each in rounds]

    for label, cost in (("time", clock), ("computing", cores)):
        bench.report.add(
            Figure(
                f"{kind}: {label} at {size:,} : at {bench.arguments.sizes[0]:,}",
                median([one / other for one, other in zip(cost(large), cost(small))]), at_most=1.2,
                measured={"small us": median(cost(small)), "large us": median(cost(large))},
                rounds=[{"small": one, "large": other} for one, other in zip(cost(small), cost(large))]))


def _filled(bench: Bench, size: int) -> Gatepass:
    """A schema with `size` purchases, three a user: copies of one user that the server itself recorded."""
    server = Gatepass(bench, f"growth_{size}", f"gatepass-{size}")
    bench.mariadb.create(server.database)
    server.launch()
    path = bench.mint.fresh(1, PASSES_OF_STATUS_USER)
    seed(server, read_requests(path))
    os.unlink(path)
    server.stop()
    _copy_user(bench, server.database, size // PASSES_OF_STATUS_USER - 1, size <= TEXTS_IN_FULL_UP_TO)
    return server


def _copy_user(bench: Bench, database: str, copies: int, full_texts: bool):
    def number(statement: str) -> int:
        return bench.mariadb.number(statement, database)

    purchases = number("SELECT MAX(id) - MIN(id) + 1 FROM purchases")
    states = number("SELECT MAX(id) - MIN(id) + 1 FROM apple_iap_transactions")
    external = f"CONCAT('9', LPAD(t.{{}} + s.seq * {purchases}, 15, '0'))"
    purchase, state = f"t.{{}} + s.seq * {purchases}", f"t.{{}} + s.seq * {states}"
    content = "t.{}"
    for line in bench.mariadb.execute("SELECT id, external_id FROM purchases", database).splitlines():
        number_of_purchase, number_outside = line.split("\t")
        renamed = external.replace("t.{}", number_of_purchase)
        content = f"REPLACE({content}, '{number_outside}', {renamed})"
    user = "t.{} + s.seq"
    digest = f"UNHEX(SHA2(CONCAT('{{}}', t.id + s.seq * {states}), 256))"
    changes = {
        "users": {"pseudonym": user, "user_id": "CONCAT('g', s.seq)"},
        "purchases": {"id": purchase, "user_id": user, "external_id": external.format("id")},
        "apple_iap_transactions": {
            "id": state, "purchase_id": purchase, "user_id": user, "transaction_id": external.format("purchase_id"),
            "original_transaction_id": external.format("purchase_id"), "content_hash": digest, "jws_hash": digest,
            "statement": content,
        },
        "signed_texts": {"state_id": state} | ({} if full_texts else {"jws": "LEFT(t.{}, 64)"}),
        "ledger_entries": {"user_id": user, "purchase_id": purchase, "state_id": state, "content": content},
        "subscriptions": {
            "purchase_id": purchase, "user_id": user, "external_id": external.format("purchase_id"),
        },
    }
    for table, changed in changes.items():
        columns = bench.mariadb.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
            f"AND table_name = '{table}' AND is_generated = 'NEVER' ORDER BY ordinal_position", database).split()
        values = ", ".join(changed.get(column, "t.{}").format(column) for column in columns)
        bench.mariadb.execute(f"CREATE TABLE template_{table} AS SELECT * FROM {table}", database)
        for first in range(1, copies + 1, USERS_A_STATEMENT):
            last = min(copies, first + USERS_A_STATEMENT - 1)
            bench.mariadb.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} "
                f"FROM seq_{first}_to_{last} s STRAIGHT_JOIN template_{table} t ORDER BY s.seq", database)
        bench.mariadb.execute(f"DROP TABLE template_{table}; ANALYZE TABLE {table}", database)
