"""Requests that may cost the server more than they cost the asker, each beside a control that is plain."""

import json
import os
import secrets
import shutil
import time

from harness.asking import Asker, Askers
from harness.bench import Bench, seed
from harness.keepalive import request
from harness.load import STATUS, LoadFailed
from harness.minting import read_requests
from harness.openload import apple_delivery, card_event
from harness.others import Others

SENDERS = 4
# What the load generator can send and receive without being the measure itself.
SENT_BYTES_A_SECOND = 40 << 20
RECEIVED_BYTES_A_SECOND = 100 << 20
# What the default limit lets one user, or without sign-in one network, ask at once; it is spread over the turn.
BUCKET = 600

NAMES, NAMED_BODY_BYTES = 64, 255 * 1024
CARD_BODY_BYTES = 1 << 20
# A header of 300 is longer than is read.
READ_SIGNATURES = 8
MANY_PURCHASES, PURCHASES_A_CALL = 3_000, 500
READS = (STATUS + "?history=1&explain=1", "/api/iap/purchases?limit=1", STATUS + "?explain=1&limit=1")
READERS = 16
CATALOGUES = (10, 2_000, 10_000)
PRODUCTS, OPENAPI = "/api/iap/apple/products", "/openapi.yaml"


def names(bench: Bench, others: Others):
    """Bodies whose names are long, escaped and alike up to their ends, from many networks, to Apple's webhook."""
    length = NAMED_BODY_BYTES // NAMES // len("\\u0061") - 2
    body = ("{" + ",".join(
        '"' + "\\u0061" * length + "".join(f"\\u{ord(digit):04x}" for digit in f"{number:02}") + '":1'
        for number in range(NAMES)) + "}").encode()
    plain = b'{"padding":"' + b"a" * (len(body) - 14) + b'"}'
    _compare_senders(
        others, f"bodies with {NAMES} long names", "as many plain bodies", lambda: apple_delivery(body),
        lambda: apple_delivery(plain), from_networks=True)


def refused(bench: Bench, others: Others):
    """Card deliveries that are not genuine, with more signatures than Stripe sends: as many as are tried, and more."""
    body = json.dumps({"padding": "a" * (CARD_BODY_BYTES - 20)}).encode()
    for count, from_networks in ((READ_SIGNATURES, True), (READ_SIGNATURES, False), (300, False)):
        _compare_senders(
            others, f"{count} false v1 from {'many networks' if from_networks else 'one network'}", "one false v1",
            lambda: _false(body, count), lambda: _false(body, 1), from_networks)


def _false(body: bytes, signatures: int) -> bytes:
    """A delivery of now whose signatures are well-formed."""
    tried = "".join(f",v1={secrets.token_hex(32)}" for _ in range(signatures))
    return card_event(body, f"t={int(time.time())}{tried}")


def _compare_senders(others: Others, name: str, what: str, attack, control, from_networks: bool):
    others.start()

    def senders(message: bytes, rate: float) -> Askers:
        return Askers(others.server, [message], SENDERS, rate, from_networks)

    def attackers() -> Askers:
        message = attack()
        return senders(message, SENT_BYTES_A_SECOND / len(message))

    others.compare(name, what, attackers, lambda rate: senders(control(), rate))


def reads(bench: Bench, others: Others):
    """A user with very many purchases, all of Sandbox, which cost nothing, who asks for much and for little of them."""
    others.start()
    many, few = (_buyer(bench, others, count) for count in (MANY_PURCHASES, 1))

    def readers(token: str, rate: float) -> Askers:
        return Askers(others.server, [request("GET", path, token) for path in READS], READERS, rate)

    others.compare(
        f"reads of {MANY_PURCHASES:,} purchases", "as many reads of one",
        lambda: readers(many, BUCKET / bench.arguments.seconds), lambda rate: readers(few, rate))


def _buyer(bench: Bench, others: Others, purchases: int) -> str:
    """The token of a user with so many purchases of Sandbox."""
    path = bench.mint.fresh(1, purchases)
    (token, texts), = read_requests(path)
    os.unlink(path)
    texts = bench.tools.signing("sandbox", bench.mint.authority, given="\n".join(texts)).split()
    for first in range(0, purchases, PURCHASES_A_CALL):
        seed(others.server, [(token, texts[first:first + PURCHASES_A_CALL])])
    return token


def products(bench: Bench, _: Others):
    """Askers for the list of products, in full and where it has not changed.

    The server has users of its own, because what is on sale stays on sale. The control of a 304 is as many statuses of
    another user. So is that of a short list; that of a long one is as many bytes of a file that is kept in memory,
    because sending them cannot be spared.
    """
    others = Others(bench, "strangers_products")
    shutil.copy(bench.tools.path("openapi.yaml"), bench.directory)
    for count in CATALOGUES:
        others.server.catalogue = _catalogue(bench, count)
        others.start()
        asker = Asker(others.server.port)
        (size, tag), (file_size, _) = (_size_and_tag(asker, path) for path in (PRODUCTS, OPENAPI))
        if asker.ask(_question(PRODUCTS, tag))[0] != 304:
            raise LoadFailed(f"{tag} is not known")
        asker.close()
        somebody = request("GET", STATUS, others.tokens(1)[0])
        file = _question(OPENAPI)
        for is_known in (False, True):
            asked = _question(PRODUCTS, tag if is_known else "")
            fits = RECEIVED_BYTES_A_SECOND / (1 if is_known else size)
            rate = min(SENDERS * BUCKET / bench.arguments.seconds, fits)
            is_long = not is_known and size > file_size
            others.compare(
                f"askers for {count:,} products" + (" that are known" if is_known else ""),
                "as many bytes of a file" if is_long else "as many statuses of another",
                lambda: Askers(others.server, [asked], SENDERS, rate),
                lambda rate: Askers(
                    others.server, [file if is_long else somebody], SENDERS,
                    rate * (size / file_size if is_long else 1)))
    others.stop()


def _question(path: str, tag: str = "") -> bytes:
    """Somebody's who did not sign in, and who may know the answer by its entity tag."""
    known = f"If-None-Match: {tag}\r\n" if tag else ""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{known}\r\n".encode()


def _size_and_tag(asker: Asker, path: str) -> tuple:
    code, head = asker.ask(_question(path))
    if code != 200:
        raise LoadFailed(f"{path}: {code}")
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in head.decode().split("\r\n")[1:])}
    return int(fields["content-length"]), fields.get("etag", "")


def _catalogue(bench: Bench, count: int) -> str:
    """A file with the products that users have, and others up to so many."""
    with open(bench.tools.path("scripts/bench/config/catalog.yaml"), encoding="utf-8") as file:
        text = file.read()
    known = text.count("- {id: com.example")
    path = os.path.join(bench.directory, f"catalog-{count}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "".join(
            f"  - {{id: com.example.bench.more{number}, kind: pass, tier: pro, duration: 30d,\n"
            f'     price: {{amount: "4.99", currency: USD}}, title: {{en: Pass {number}, zh-Hans: 通行证 {number}}}}}\n'
            for number in range(count - known)))
    return path
