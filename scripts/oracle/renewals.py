"""What the states of a chain's renewal say of the time after a period (docs/semantics.md §7; docs/apple.md §2)."""

import json
import math
from collections import defaultdict

from catalogue import DAY

TOLD_GRACE = 3 * DAY  # grace that is told without a date
LONGEST_RETRY = 60 * DAY


def words(notification: dict) -> set:
    """How a notification tells the state of the renewal that it carries."""
    told = {notification.get("notificationType")} & {"EXPIRED", "GRACE_PERIOD_EXPIRED"}
    if notification.get("subtype") == "GRACE_PERIOD" or notification.get("data", {}).get("status") == 4:
        told.add("GRACE_PERIOD")
    return told


class Renewal:
    """One state of a chain's renewal, and all that it was told as."""

    def __init__(self, text: str, told: set):
        said = json.loads(text)
        self.text = text
        self.signed_at = said["signedDate"]
        self.is_in_retry = said.get("isInBillingRetryPeriod") is True
        self.renews = said.get("autoRenewStatus") == 1
        self.grace_end = said.get("gracePeriodExpiresDate")
        self.is_told_as_grace = "GRACE_PERIOD" in told
        has_reason = said.get("expirationIntent") is not None and not self.is_in_retry
        # The end of grace ends what is given. The store may still try to charge.
        self.is_over = not self.is_told_as_grace and ("EXPIRED" in told or has_reason)
        self.has_ended = self.is_over or not self.is_told_as_grace and "GRACE_PERIOD_EXPIRED" in told

    @property
    def is_retried(self) -> bool:
        return self.is_in_retry and self.renews and not self.is_over

    @property
    def order(self) -> tuple:
        earlier = math.inf if self.grace_end is None else -self.grace_end
        return (self.signed_at, self.has_ended, self.is_in_retry, not self.renews, earlier, self.text.encode())

    def until(self, end: int, length: int, leeway: int) -> float:
        """Until when a period of that end and length goes on by this state alone."""
        if self.is_told_as_grace:
            return end + min(TOLD_GRACE, length) if self.grace_end is None else self.grace_end
        if self.has_ended:
            return -math.inf
        if self.grace_end is not None:
            return self.grace_end
        if self.is_in_retry or not self.renews:
            return -math.inf
        return end + min(leeway, length)


def in_order(told: list) -> list:
    """The states of `(statement, words)`. A statement that was told in several ways is one, as grace if any said so."""
    by_text = defaultdict(set)
    for said, how in told:
        by_text[json.dumps(said, sort_keys=True)] |= how
    return sorted((Renewal(text, how) for text, how in by_text.items()), key=lambda renewal: renewal.order)


def after(renewals: list, start: int, end: int, until: float, leeway: int) -> tuple:
    """The stretches of grace or leeway, and of retry, after a period `[start, end)`; the next begins at `until`.

    `renewals` are in order and speak of the period.
    """
    by_end = [each for each in renewals if each.signed_at <= end]
    speaking = [(end, by_end[-1] if by_end else None)]
    speaking += [(each.signed_at, each) for each in renewals if each.signed_at > end]
    length = end - start
    grace, retry = [], []
    for place, (since, says) in enumerate(speaking):
        limit = min(until, speaking[place + 1][0] if place + 1 < len(speaking) else math.inf)
        stop = end + min(leeway, length) if says is None else says.until(end, length, leeway)
        _append(grace, since, min(stop, limit))
        if says is not None and says.is_retried:
            _append(retry, since, min(end + LONGEST_RETRY, limit))
    return grace, retry


def _append(parts: list, start: int, end: float):
    if start >= end:
        return
    if parts and parts[-1][1] == start:
        parts[-1] = (parts[-1][0], end)
    else:
        parts.append((start, end))
