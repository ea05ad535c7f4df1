"""What is sold, from the catalogue's file written as JSON (docs/semantics.md §1, §7; config/catalog.yaml)."""

import re

DAY = 86_400_000
KINDS = {
    "Non-Renewing Subscription": "pass",
    "Non-Consumable": "add_on",
    "Consumable": "consumable",
    "Auto-Renewable Subscription": "plan",
}


class Tier:
    def __init__(self, line: dict):
        self.id = line["id"]
        self.lane = line.get("lane", "main")
        self.rank = line["rank"]
        self.features = frozenset(line.get("features", []))
        self.limits = {
            name: 2**53 - 1 if limit == "unlimited" else limit for name, limit in line.get("limits", {}).items()}
        self.seats = line.get("devices", 0)


def _length(text: str) -> int:
    """`30d`, `2h` or `3m` in milliseconds."""
    return int(text[:-1]) * {"d": DAY, "h": DAY // 24, "m": DAY // 1440}[text[-1]]


class Product:
    def __init__(self, line: dict):
        self.id = line["id"]
        self.kind = line["kind"]
        self.tier = line.get("tier")
        self.features = frozenset(line.get("features", []))
        self.requires = line.get("requires", {}).get("tier")
        self.unit = line.get("unit")
        self.amount = line.get("amount", 0)
        self.plan_id = line.get("plan_id")
        self.group = line.get("subscription_group")
        self.is_shareable = line.get("family_shareable", False)
        self._length = _length(line["duration"]) if "duration" in line else 0
        self._sandbox_length = _length(line["sandbox_duration"]) if "sandbox_duration" in line else self._length
        self.sells_seats = line.get("devices") == "quantity"
        self.seats = self._seats(line)
        card = line.get("stripe", {})
        self.card_names = card.get("prices", []) + card.get("lookup_keys", []) + card.get("payment_links", [])

    def length(self, environment: str) -> int:
        """How long a pass is that was bought there."""
        return self._sandbox_length if environment == "Sandbox" else self._length

    def _seats(self, line: dict):
        """The product's own seats, which go before its tier's; None if it has none."""
        if isinstance(line.get("devices"), int):
            return line["devices"]
        if "seats" in line:
            return line["seats"]
        named = re.fullmatch(r"(?:monthly|annual)_([0-9]{1,5})", self.plan_id or "")
        return int(named[1]) if named and 1 <= int(named[1]) <= 10_000 else None


class Catalogue:
    def __init__(self, document: dict):
        self.tiers = {line["id"]: Tier(line) for line in document["tiers"]}
        self.default_tier = self.tiers.get(document.get("default_tier"))
        self.pausing_lanes = {
            lane["id"] for lane in document.get("lanes", []) if lane.get("under_higher_window") == "pause"
        }
        products = [Product(line) for line in document["products"]]
        self.groups = {product.group for product in products if product.group is not None}
        self.by_id = {product.id: product for product in products}
        self.by_card_name = {name: product for product in products for name in product.card_names}

    def card_product(self, names: list):
        """The product of the first name that is known."""
        return next((self.by_card_name[name] for name in names if name in self.by_card_name), None)
