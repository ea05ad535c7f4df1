"""What schemathesis cannot guess: genuine signed texts, cursors, and who is signed in.

Without them every attach would end at the signature, and the answers behind it would never be compared with the document.
"""

import os
import random

import schemathesis
from hypothesis import strategies as st

with open(os.environ["SIGNED_TEXTS"], encoding="ascii") as file:
    SIGNED = file.read().split()

# Other texts are no cursors, which the document can say in words only.
schemathesis.openapi.format("cursor", st.just(os.environ["CURSOR"]))

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
    """The items, some of them replaced; an empty list, which is refused, stays empty."""
    return [chance.choice(SIGNED) if chance.random() < 0.7 else item for item in items]


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Half of the questions are about the user who asks."""
    chance = random.Random(repr(path_parameters))
    if path_parameters and isinstance(path_parameters.get("user_id"), str) and chance.random() < 0.5:
        return {**path_parameters, "user_id": os.environ["USER_ID"]}
    return path_parameters

