"""Signs and verifies webhook bodies with Stripe's library.

The questions are JSON: {"bodies": [{"name", "secret", "timestamp", "body"}], "headers": [{"name", "secret", "header",
"body"}]}. The answers are JSON by name: the header that the library makes of a body, and of a header whether the
library accepts it at any age: "OK", or its refusal.
"""

import json
import sys

import stripe


def verdict(question: dict) -> str:
    try:
        stripe.WebhookSignature.verify_header(
            question["body"], question["header"], question["secret"], tolerance=None
        )
    except stripe.SignatureVerificationError as refusal:
        return str(refusal)
    return "OK"


def main(questions_path: str, answers_path: str):
    with open(questions_path, encoding="utf-8") as file:
        questions = json.load(file)
    answers = {
        body["name"]: stripe.WebhookSignature.generate_signature_header(
            body["body"], body["secret"], body["timestamp"]
        )
        for body in questions["bodies"]
    }
    answers |= {header["name"]: verdict(header) for header in questions["headers"]}
    with open(answers_path, "w", encoding="utf-8") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
