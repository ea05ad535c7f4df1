"""The catalogue, read from the same file as the server's."""

from dataclasses import dataclass

import yaml

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Tier:
    id: str
    rank: int
    features: tuple
    limits: dict
    devices: int


@dataclass(frozen=True, slots=True)
class Product:
    id: str
    kind: str
    tier: Tier | None
    length_ms: int
    features: tuple
    unit: str | None
    amount: int


class Catalog:
    def __init__(self, path: str):
        with open(path, encoding="utf-8") as file:
            document = yaml.safe_load(file)
        self.bundle_id = document["apps"][0]["bundle_id"]
        self.app_apple_id = document["apps"][0].get("app_apple_id", 1)
        self.tiers = {
            t["id"]: Tier(
                t["id"], t["rank"], tuple(t.get("features", ())), t.get("limits", {}), t.get("devices", 0)
            )
            for t in document["tiers"]
        }
        self.default_tier = self.tiers.get(document.get("default_tier"))
        self.products = {p["id"]: self._product(p) for p in document["products"]}

    def _product(self, product: dict) -> Product:
        return Product(
            id=product["id"],
            kind=product["kind"],
            tier=self.tiers.get(product.get("tier")),
            length_ms=int(str(product.get("duration", "0d")).rstrip("d")) * DAY_MS,
            features=tuple(product.get("features", ())),
            unit=product.get("unit"),
            amount=product.get("amount", 0),
        )
