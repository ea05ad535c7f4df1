"""What a user has, whichever source it came from."""

from dataclasses import dataclass, field

from catalogue import Product, Tier
from shares import Share


@dataclass
class Holding:
    """A purchase or a grant; `reason` says why it is only recorded.

    `product_id` is the catalogue's name of what was sold, and `store_id` the store's own.
    """

    source: str
    environment: str
    external_id: str
    product: Product | None
    product_id: str | None
    store_id: str | None
    kind: str | None
    reason: str | None = None
    quantity: int = 1

    @property
    def name(self) -> tuple:
        return (self.source, self.environment, self.external_id)


@dataclass
class Pass(Holding):
    anchor: int = 0
    length: int = 0
    tier: Tier | None = None
    share: Share = field(default_factory=lambda: Share([]))


@dataclass
class AddOn(Holding):
    anchor: int = 0
    share: Share = field(default_factory=lambda: Share([]))


@dataclass
class Lot(Holding):
    anchor: int = 0
    unit: str = ""
    amount: int = 0
    share: Share = field(default_factory=lambda: Share([]))


@dataclass
class Period:
    """One period of a plan: the parts of it that are paid and cover, those of grace or leeway, and those of retry.

    `stated_end` is the end that its store names; the start of one that is not paid.
    """

    start: int
    stated_end: int
    parts: list
    tier: Tier | None
    product: Product | None
    product_id: str | None
    store_id: str | None
    share: Share
    seats: int | None = None
    is_replaced: bool = False
    grace: list = field(default_factory=list)
    retry: list = field(default_factory=list)
    pauses: list = field(default_factory=list)
    is_unpaid: bool = False

    @property
    def names(self) -> tuple:
        return (self.product, self.product_id, self.store_id)


@dataclass
class Plan(Holding):
    """Windows whose dates another party gives.

    `is_in_retry` is of the last period from its end on. `group` is the App Store's subscription group, and
    `introduced_at` when its introductory offer sold a period.
    """

    periods: list = field(default_factory=list)
    renews: bool = False
    is_in_retry: bool = False
    group: str | None = None
    introduced_at: int | None = None

    def is_retried(self, period: Period, instant: int) -> bool:
        if self.is_in_retry and period is self.periods[-1]:
            return instant >= period.stated_end
        return any(start <= instant < end for start, end in period.retry)


@dataclass
class Piece:
    """A stretch over which a holding covers at a tier."""

    start: int
    end: int
    tier: Tier
    holding: Holding
    share: Share
    product: Product | None = None
    product_id: str | None = None
    store_id: str | None = None
    seats: int | None = None
    is_grace: bool = False
