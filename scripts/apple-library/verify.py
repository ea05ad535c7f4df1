"""Verifies signed texts with Apple's App Store Server Library: strictly, and without asking about revocation.

The questions are JSON: {"root": base64 of DER, "bundle_id", "apple_id", "texts": [{"name", "kind", "environment",
"text"}]}. The answers are JSON by name: {"status": "OK" or the library's status, "values": {member: text}}. Members of
a notification's container have its name before them, as in data.status.
"""

import base64
import enum
import json
import sys

import attr
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

METHODS = {
    "transaction": "verify_and_decode_signed_transaction",
    "renewal_info": "verify_and_decode_renewal_info",
    "app_transaction": "verify_and_decode_app_transaction",
    "notification": "verify_and_decode_notification",
}


def written(value) -> str:
    if isinstance(value, enum.Enum):
        return written(value.value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(written, value))
    return str(value)


def values(decoded) -> dict:
    """What the library decoded; where it keeps the raw value of an enumeration beside it, the raw one."""
    members = {}
    for field in attr.fields(type(decoded)):
        value = getattr(decoded, field.name)
        if value is None:
            continue
        name = field.name
        if name.startswith("raw") and name[3:4].isupper():
            name = name[3].lower() + name[4:]
        if attr.has(type(value)):
            members.update({f"{name}.{inner}": text for inner, text in values(value).items()})
        else:
            members[name] = written(value)
    return members


def answer(verifier: SignedDataVerifier, question: dict) -> dict:
    try:
        decoded = getattr(verifier, METHODS[question["kind"]])(question["text"])
    except VerificationException as refusal:
        return {"status": refusal.status.name, "values": {}}
    return {"status": "OK", "values": values(decoded)}


def main(questions_path: str, answers_path: str):
    with open(questions_path, encoding="utf-8") as file:
        questions = json.load(file)
    root = base64.b64decode(questions["root"])
    verifiers = {
        environment.value: SignedDataVerifier(
            [root], False, environment, questions["bundle_id"], questions["apple_id"]
        )
        for environment in (Environment.SANDBOX, Environment.PRODUCTION)
    }
    answers = {text["name"]: answer(verifiers[text["environment"]], text) for text in questions["texts"]}
    with open(answers_path, "w", encoding="utf-8") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
