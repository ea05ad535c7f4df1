"""Customers with stories: stacked passes, a refund in the middle, a card beside Apple, a debt, and others."""

import datetime
import json
import re

PASS = "com.airport.vpn.pass.30d"


def tell(server):
    """Tells all stories. Returns the values of the names in braces of pages.txt."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)

    def ago(days):
        return (now - datetime.timedelta(days=days)).isoformat().replace("+00:00", "Z")

    def simulate(*words, environment="Production"):
        return server.gatepass("simulate", *words, *(["--environment", environment] if environment else []))

    def bought(user, product, days, *words, environment="Production"):
        return simulate(
            "purchase", "--user", user, "--product", product, "--at", ago(days), *words, environment=environment)

    def number(printed):
        return re.search(r"\b\d{9,}\b", printed).group()

    bought("mara", PASS, 40)
    for days in (35, 5):
        bought("mara", PASS, days)
    bought("mara", "com.airport.vpn.addon.xyz", 12)
    bought("rolf", PASS, 50)
    middle = number(bought("rolf", PASS, 45))
    bought("rolf", PASS, 30)
    simulate("refund", "--user", "rolf", "--transaction", middle, "--at", ago(12), environment=None)
    bought("bea", PASS, 10)
    simulate("stripe", "checkout", "--user", "bea", "--product", "price_pro_monthly", "--at", ago(4))
    bought("gus", PASS, 70)
    simulate("subscribe", "--user", "gus", "--product", "com.visla.gps.monthly1", "--at", ago(35))
    simulate("billing-failure", "--user", "gus", "--grace-days", "16", environment=None)
    gone = number(bought("emil", PASS, 20))
    simulate("refund", "--user", "emil", "--transaction", gone, "--at", ago(9), environment=None)
    bought("sam", PASS, 3, environment="Sandbox")
    for days in range(420, 0, -28):
        bought("lena", PASS, days)
    spent = number(bought("dora", "com.airport.vpn.credits.100", 20))
    unnamed = simulate("stripe", "checkout", "--user", "nils", "--product", "price_pro_monthly", "--unnamed", "--json")
    lost = "sub_" + re.search(r"evt_(\w+)_1001", unnamed).group(1)

    made = json.loads(server.gatepass("keys", "create", "--scopes", "read,write", "--name", "stories", "--json"))
    key = made["key"]

    def act(user, path, **body):
        return server.send("POST", f"/api/admin/users/{user}/{path}", {"reason": "<b>An</b> outage & more", **body}, key)

    act("dora", "credits/credit/spend", amount=70, reference="a map")
    simulate("refund", "--user", "dora", "--transaction", spent, "--at", ago(2), environment=None)
    act("mara", "grants", kind="add_days", tier="basic", days=90, reference="outage")
    act("found-1", "grants", kind="credits", unit="credit", amount=5, reference="t")
    act("found-2", "grants", kind="credits", unit="credit", amount=5, reference="t")
    app = server.gatepass("token", "mara").strip()
    for device in ("MacBook Air", "iPad"):
        server.send("POST", "/api/devices", {"device_id": device.replace(" ", "-"), "name": device}, app)
    return {"lost": lost, "then": ago(20), "key": made["id"]}
