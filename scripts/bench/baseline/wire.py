"""What both servers answer with, and how they read who asks and what."""

import uuid
from datetime import datetime, timezone

import orjson
from fastapi import Request, Response

from evidence import MAXIMUM_JWS_BYTES, EvidenceInvalid, EvidenceVerifier

MAXIMUM_RESTORE = 500


class Problem(Exception):
    """A refusal: its HTTP status, its code and, of evidence, the reason."""

    def __init__(self, status: int, code: str, reason: str | None = None):
        super().__init__(code)
        self.status, self.code, self.reason = status, code, reason

    def response(self) -> Response:
        body = {
            "type": "about:blank", "title": self.code, "status": self.status, "code": self.code,
            "request_id": str(uuid.uuid4()),
        }
        if self.reason:
            body["reason"] = self.reason
        return Response(orjson.dumps(body), status_code=self.status, media_type="application/problem+json")


def reply(body: dict) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


async def text_to_attach(request: Request) -> str:
    try:
        jws = orjson.loads(await request.body())["signedTransactionJWS"]
    except (ValueError, KeyError, TypeError):
        raise Problem(400, "invalid_request") from None
    if not isinstance(jws, str):
        raise Problem(400, "invalid_request")
    if len(jws) > MAXIMUM_JWS_BYTES:
        raise Problem(413, "payload_too_large")
    return jws


async def texts_to_restore(request: Request) -> list:
    try:
        body = orjson.loads(await request.body())
        items = body if isinstance(body, list) else body["signedTransactions"]
    except (ValueError, KeyError, TypeError):
        raise Problem(400, "invalid_request") from None
    if not isinstance(items, list) or not 1 <= len(items) <= MAXIMUM_RESTORE:
        raise Problem(400, "invalid_request")
    return items


def verified(verifier: EvidenceVerifier, jws: str):
    try:
        return verifier.verify(jws)
    except EvidenceInvalid as error:
        raise Problem(422, error.code, error.reason) from error


def verify_all(verifier: EvidenceVerifier, items: list) -> tuple:
    """A result for each item, refused until it is settled, and the genuine ones as `(index, purchase)`."""
    results, genuine = [], []
    for index, jws in enumerate(items):
        result = {
            "index": index, "outcome": "refused", "code": None, "reason": None, "transaction_id": None,
            "product_id": None,
        }
        results.append(result)
        if not isinstance(jws, str):
            result["code"] = "invalid_request"
        elif len(jws) > MAXIMUM_JWS_BYTES:
            result["code"] = "payload_too_large"
        else:
            try:
                genuine.append((index, verifier.verify(jws)))
            except EvidenceInvalid as error:
                result["code"], result["reason"] = error.code, error.reason
    return results, genuine


def instant(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds // 1000, timezone.utc).isoformat()[:19] + "Z"
