"""The full baseline: a FastAPI server with the three endpoints that are measured, and the product's own rules.

It is here to be compared with, so it is written as well as such a server can be: uvloop and httptools, orjson, no
per-request models, Apple's library with its chain cache, bulk statements, a retry on deadlocks. Improve it freely; never
cripple it.
"""

import contextlib
import hashlib
import time

import orjson
from fastapi import FastAPI, Request, Response

from bearer import BearerVerifier, Unauthenticated
from catalog import Catalog
from evidence import EvidenceVerifier
from full.ledger import Ledger
from full.status import status
from settings import Settings
from wire import Problem, instant, reply, text_to_attach, texts_to_restore, verified, verify_all

settings = Settings.from_environment()
catalog = Catalog(settings.catalog)
bearers = BearerVerifier(settings.hs256_secret)
verifier = EvidenceVerifier(settings.root_certificate, catalog.bundle_id, catalog.app_apple_id)
ledger = Ledger(settings, catalog)


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI):
    await ledger.open()
    yield
    await ledger.close()


app = FastAPI(lifespan=lifespan, openapi_url=None)


def signed_in(request: Request) -> str:
    return bearers.user(request.headers.get("authorization"))


@app.exception_handler(Unauthenticated)
async def unauthenticated(request: Request, error: Unauthenticated) -> Response:
    return Problem(401, "unauthenticated").response()


@app.exception_handler(Problem)
async def refused(request: Request, problem: Problem) -> Response:
    return problem.response()


@app.get("/readyz")
async def readyz() -> Response:
    return reply({"ready": True})


@app.get("/api/iap/apple/status")
async def get_status(request: Request) -> Response:
    user = signed_in(request)
    timeline = await ledger.timeline(user)
    body = status(user, timeline, time.time_ns() // 1_000_000)
    text = orjson.dumps(body)
    tag = '"' + hashlib.sha256(text[text.index(b'"active"'):]).hexdigest()[:32] + '"'
    headers = {"etag": tag, "cache-control": "private, no-cache", "vary": "Authorization"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(text, media_type="application/json", headers=headers)


@app.post("/api/iap/apple/transactions/attach")
async def attach(request: Request) -> Response:
    user = signed_in(request)
    purchase = verified(verifier, await text_to_attach(request))
    (outcome,), timeline, at = await ledger.record(user, [purchase])
    if outcome == "owned_by_another_user":
        raise Problem(409, outcome)
    product = catalog.products.get(purchase.product_id)
    return reply(
        {
            "outcome": outcome,
            "reason": None if product else "unknown_product",
            "transaction": {
                "transaction_id": purchase.transaction_id,
                "original_transaction_id": purchase.original_transaction_id,
                "product_id": purchase.product_id,
                "kind": product.kind if product else None,
                "quantity": purchase.quantity,
                "environment": purchase.environment,
                "purchased_at": instant(purchase.purchased_at),
                "purchased_at_ms": purchase.purchased_at,
            },
            "status": status(user, timeline, at),
        }
    )


@app.post("/api/iap/apple/restore")
async def restore(request: Request) -> Response:
    user = signed_in(request)
    results, genuine = verify_all(verifier, await texts_to_restore(request))
    timeline, at = None, time.time_ns() // 1_000_000
    if genuine:
        outcomes, timeline, at = await ledger.record(user, [purchase for _, purchase in genuine])
        _settle(results, genuine, outcomes)
    else:
        timeline = await ledger.timeline(user)
    summary = {"attached": 0, "already_attached": 0, "revoked": 0, "recorded": 0, "duplicates": 0, "refused": 0}
    for result in results:
        name = result["outcome"]
        summary["duplicates" if name == "duplicate_in_request" else name] += 1
    summary["recovered"] = 0
    return reply(
        {"results": results, "summary": summary, "history": "not_configured", "status": status(user, timeline, at)}
    )


def _settle(results: list, genuine: list, outcomes: list):
    newest: dict = {}
    for index, purchase in genuine:
        best = newest.get(purchase.key)
        if best is None or purchase.signed_at > best[1].signed_at:
            newest[purchase.key] = (index, purchase)
    for (index, purchase), outcome in zip(genuine, outcomes):
        result = results[index]
        result["transaction_id"], result["product_id"] = purchase.transaction_id, purchase.product_id
        if newest[purchase.key][0] != index:
            result["outcome"] = "duplicate_in_request"
        elif outcome == "owned_by_another_user":
            result["outcome"], result["code"] = "refused", outcome
        elif purchase.product_id not in catalog.products:
            result["outcome"], result["reason"] = "recorded", "unknown_product"
        elif purchase.revoked_at is not None:
            result["outcome"] = "revoked"
        else:
            result["outcome"] = outcome
