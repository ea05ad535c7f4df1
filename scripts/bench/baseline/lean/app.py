"""The lean baseline: what a team would write in a week and be content with.

Three tables, expiry is the purchase date plus the product's days, and the status is one SELECT: no clock, no ledger, no
fold. It does that as fast as FastAPI can. Improve it freely; never cripple it.
"""

import contextlib
import time

from fastapi import FastAPI, Request, Response

from bearer import BearerVerifier, Unauthenticated
from catalog import Catalog
from evidence import EvidenceVerifier
from lean.store import OWNED_BY_ANOTHER, Store
from settings import Settings
from wire import Problem, instant, reply, text_to_attach, texts_to_restore, verified, verify_all

settings = Settings.from_environment()
catalog = Catalog(settings.catalog)
bearers = BearerVerifier(settings.hs256_secret)
verifier = EvidenceVerifier(settings.root_certificate, catalog.bundle_id, catalog.app_apple_id)
store = Store(settings, catalog)


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI):
    await store.open()
    yield
    await store.close()


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
    return reply(status(user, await store.held(user)))


@app.post("/api/iap/apple/transactions/attach")
async def attach(request: Request) -> Response:
    user = signed_in(request)
    purchase = verified(verifier, await text_to_attach(request))
    (outcome,), held = await store.attach(user, [purchase])
    if outcome == OWNED_BY_ANOTHER:
        raise Problem(409, outcome)
    return reply(
        {
            "outcome": outcome,
            "transaction_id": purchase.transaction_id,
            "original_transaction_id": purchase.original_transaction_id,
            "product_id": purchase.product_id,
            "status": status(user, held),
        }
    )


@app.post("/api/iap/apple/restore")
async def restore(request: Request) -> Response:
    user = signed_in(request)
    results, genuine = verify_all(verifier, await texts_to_restore(request))
    if genuine:
        outcomes, held = await store.attach(user, [purchase for _, purchase in genuine])
    else:
        outcomes, held = [], await store.held(user)
    for (index, purchase), outcome in zip(genuine, outcomes):
        result = results[index]
        result["transaction_id"], result["product_id"] = purchase.transaction_id, purchase.product_id
        if outcome == OWNED_BY_ANOTHER:
            result["code"] = outcome
        else:
            result["outcome"] = outcome
    summary = {"attached": 0, "already_attached": 0, "refused": 0}
    for result in results:
        summary[result["outcome"]] += 1
    return reply({"results": results, "summary": summary, "status": status(user, held)})


def status(user: str, held: list) -> dict:
    """`held` are `(tier, when the last purchase of it ends, how many there are)`."""
    now = time.time_ns() // 1_000_000
    running = [(catalog.tiers[tier].rank, tier, ends_at) for tier, ends_at, _ in held if ends_at > now]
    _, tier, expires_at = max(running, default=(None, None, None))
    if tier is None:
        tier = catalog.default_tier.id if catalog.default_tier else None
    return {
        "user_id": user,
        "at": instant(now),
        "active": bool(running),
        "tier": tier,
        "features": list(catalog.tiers[tier].features) if tier else [],
        "expires_at": instant(expires_at),
        "expires_at_ms": expires_at,
        "purchases": sum(count for _, _, count in held),
    }
