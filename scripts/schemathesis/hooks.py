"""What schemathesis cannot guess: genuine signed texts, cursors, and who is signed in.

Without them every attach would end at the signature, and the answers behind it would never be compared with the
document.
"""

import base64
import os
import pathlib
import random
import re
import sys

import schemathesis
import yaml
from hypothesis import strategies as st

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "clients"))

import closed  # noqa: E402

with open(os.environ["SIGNED_TEXTS"], encoding="ascii") as file:
    SIGNED = file.read().split()

with open(os.environ["NOTIFICATIONS"], encoding="ascii") as file:
    NOTIFICATIONS = file.read().split()

# Other texts are no cursors, which the document can say in words only.
schemathesis.openapi.format("cursor", st.just(os.environ["CURSOR"]))


def place(*parts):
    """A cursor: the place behind a row that there may be."""
    return base64.urlsafe_b64encode("\n".join(parts).encode()).decode().rstrip("=")


# Which list it is of says the path alone.
PAGE = place("of any list", "7")

schemathesis.openapi.format("page", st.just(PAGE))
schemathesis.openapi.format("acts-cursor", st.just(place("acts", "2")))
schemathesis.openapi.format("balance-cursor", st.just(place("credits", "Sandbox", "credit")))
schemathesis.openapi.format("device-cursor", st.just(place("devices", "1768478400000", "A1B2-C3")))
schemathesis.openapi.format("found-cursor", st.just(place("search", "0", "0", "", "", "", "", "")))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Answers fit only without anything undocumented, and requests have what the document says of them in words."""
    raw_schema.update(closed.close(raw_schema))
    with open(HERE / "requests.yaml", encoding="utf-8") as file:
        raw_schema["components"]["schemas"].update(yaml.safe_load(file))


INSTANTS = {"from": "2026-01-01T00:00:00Z"} | dict.fromkeys(("to", "until", "expires_at"), "2199-01-01T00:00:00Z")
USER_ID = re.compile("[A-Za-z0-9_][A-Za-z0-9._:@|+=-]{0,127}")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT")


def named_shortly(value):
    """The value without members whose names are longer than the server takes (256 bytes)."""
    if isinstance(value, dict):
        return {
            name: named_shortly(member) for name, member in value.items()
            if len(str(name).encode("utf-8", "surrogatepass")) <= 256}
    return [named_shortly(element) for element in value] if isinstance(value, list) else value


@schemathesis.hook
def before_call(context, case, kwargs):
    """Nobody revokes the key that all of this is asked with, which is the first; and what the document cannot say
    holds: a target of a change of plan has one name, an outage has begun and ends later, a grant ends later, a cursor
    is its own list's and order's, a tier is the catalogue's, a notification is genuine."""
    case.body = named_shortly(case.body)
    if (case.path_parameters or {}).get("key_id") == "1":
        case.path_parameters["key_id"] = "2"
    if case.path.endswith("/webhooks/apple") and isinstance(case.body, dict):
        if isinstance(case.body.get("signedPayload"), str):
            case.body["signedPayload"] = random.Random(repr(case.body)).choice(NOTIFICATIONS)
    if (case.query or {}).get("cursor") == PAGE:
        case.query["cursor"] = place(case.path.rsplit("/", 1)[1], "7")
    if case.path.endswith("/admin/users") and case.query:
        if {"q", "order"} & set(case.query):
            case.query.pop("cursor", None)
        if "q" in case.query:
            case.query.pop("order", None)
        if "tier" in case.query:
            case.query["tier"] = "pro"
    if case.path.endswith("/plan-change"):
        named = set(case.query or {}) & {"plan_id", "product_id"}
        if not named:
            case.query = {**(case.query or {}), "plan_id": "pro"}
        elif len(named) == 2:
            del case.query["product_id"]
    if case.path.endswith("/compensations") and isinstance(case.body, dict):
        if isinstance(case.body.get("cursor"), str):
            del case.body["cursor"]
    if case.path.endswith(("/compensations", "/grants")) and isinstance(case.body, dict):
        for name, instant in INSTANTS.items():
            if INSTANT.match(str(case.body.get(name))):
                case.body[name] = instant


ADMIN = "^/api/admin/"


class Bearer:
    """Shows what stands in an environment variable."""

    variable = ""

    def get(self, case, context):
        return os.environ[self.variable]

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = "Bearer " + data


@schemathesis.auth().apply_to(path_regex=ADMIN)
class ServerKey(Bearer):
    variable = "API_KEY"


@schemathesis.auth().skip_for(path_regex=ADMIN)
class UserToken(Bearer):
    variable = "USER_TOKEN"


MEMBERS = ("signedTransactionJWS", "signed_transaction_jws", "signedData")
LISTS = ("signedTransactions", "signed_transactions")


@schemathesis.hook
def map_body(context, body):
    """Most well-formed requests carry genuine texts."""
    path = context.operation.path if context.operation else ""
    chance = random.Random(repr(body))
    if chance.random() < 0.25:
        return body
    if path.endswith("/attach") and isinstance(body, dict):
        for name in MEMBERS:
            if isinstance(body.get(name), str):
                return {**body, name: chance.choice(SIGNED)}
    if path.endswith("/restore"):
        if isinstance(body, list):
            return mixed(body, chance)
        if isinstance(body, dict):
            for name in LISTS:
                if isinstance(body.get(name), list):
                    return {**body, name: mixed(body[name], chance)}
    return body


def mixed(items, chance):
    """The items, some of them replaced; an empty list stays empty."""
    return [chance.choice(SIGNED) if chance.random() < 0.7 else item for item in items]


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Half of the questions are about the user who asks."""
    chance = random.Random(repr(path_parameters))
    user = (path_parameters or {}).get("user_id")
    if isinstance(user, str) and USER_ID.fullmatch(user) and chance.random() < 0.5:
        return {**path_parameters, "user_id": os.environ["USER_ID"]}
    return path_parameters

