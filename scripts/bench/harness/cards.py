"""Events of card billing as Stripe signs them, each about a user of its own."""

import hashlib
import hmac
import json
import time

from harness.openload import card_event

SECRET = "whsec_bench"
MONTH = 30 * 86_400


def checkouts(first: int, count: int) -> list:
    """Requests that tell of a pass that was bought."""
    return [
        _signed(number, "checkout.session.completed", {
            "id": f"cs_{number}", "object": "checkout.session", "mode": "payment", "payment_status": "paid",
            "client_reference_id": str(number), "customer": f"cus_{number}", "payment_intent": f"pi_{number}",
            "payment_link": "plink_bench", "amount_total": 999, "currency": "eur", "metadata": {},
            "customer_details": {"email": f"{number}@example.com", "address": {"city": "Bremen"}},
        })
        for number in range(first, first + count)
    ]


def subscriptions(first: int, count: int, month: int = 0) -> list:
    """Requests that tell of a month of subscriptions: the first, or one that renews them."""
    begins = int(time.time()) // 86_400 * 86_400 - 2 * MONTH
    start = begins + month * MONTH
    kind = "updated" if month else "created"
    return [
        _signed(number, f"customer.subscription.{kind}", {
            "id": f"sub_{number}", "object": "subscription", "status": "active", "customer": f"cus_{number}",
            "metadata": {"user_id": str(number)}, "cancel_at_period_end": False, "currency": "eur",
            "start_date": begins, "latest_invoice": f"in_{number}_{month}",
            "items": {"object": "list", "data": [{
                "id": f"si_{number}", "object": "subscription_item", "quantity": 1,
                "current_period_start": start, "current_period_end": start + MONTH,
                "price": {"id": "price_bench", "object": "price", "currency": "eur", "metadata": {}},
            }]},
        })
        for number in range(first, first + count)
    ]


def _signed(number: int, kind: str, told: dict) -> bytes:
    now = int(time.time())
    body = json.dumps({
        "id": f"evt_{told['id']}_{kind}", "object": "event", "type": kind, "created": now, "livemode": True,
        "api_version": "2025-10-29.clover", "data": {"object": told},
    }).encode()
    digest = hmac.new(SECRET.encode(), f"{now}.".encode() + body, hashlib.sha256).hexdigest()
    return card_event(body, f"t={now},v1={digest}")
