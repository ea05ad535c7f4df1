"""Folds a user's facts into coverage: one pass runs at a time, the one of highest rank, then of earliest anchor.

Full refunds stop a pass; prorated ones and reversals are left out, for nothing that is measured has them.
"""

import heapq

from catalog import Catalog


class Timeline:
    def __init__(self, entries: list, catalog: Catalog):
        """`entries` are `(kind, purchase row id, Purchase | None)` in the order of the ledger."""
        states: dict[tuple, object] = {}
        ids: dict[tuple, int] = {}
        for kind, purchase_id, state in entries:
            if kind != "evidence":
                continue
            ids[state.key] = purchase_id
            newest = states.get(state.key)
            if newest is None or state.signed_at >= newest.signed_at:
                states[state.key] = state
        self.catalog = catalog
        self.ids = ids
        self.purchases = sorted(states.values(), key=lambda s: (s.purchased_at, s.original_transaction_id))
        self.runs = self._run()
        self.spans: dict[tuple, list] = {}
        for state, product, starts_at, ends_at in self.runs:
            span = self.spans.setdefault(state.key, [starts_at, ends_at])
            span[1] = ends_at

    def _run(self) -> list:
        passes = []
        for state in self.purchases:
            product = self.catalog.products.get(state.product_id)
            if product is None or product.kind != "pass" or state.is_family_shared:
                continue
            passes.append((state, product))
        if not passes:
            return []
        left = [product.length_ms * state.quantity for state, product in passes]
        stops = [state.revoked_at for state, _ in passes]
        waiting: list = []
        runs: list = []
        next_pass, now, count = 0, passes[0][0].purchased_at, len(passes)
        while True:
            while next_pass < count and passes[next_pass][0].purchased_at <= now:
                state, product = passes[next_pass]
                heapq.heappush(
                    waiting, (-product.tier.rank, state.purchased_at, state.original_transaction_id, next_pass)
                )
                next_pass += 1
            if not waiting:
                if next_pass == count:
                    return runs
                now = passes[next_pass][0].purchased_at
                continue
            index = waiting[0][3]
            state, product = passes[index]
            stop = stops[index]
            if left[index] <= 0 or (stop is not None and stop <= now):
                heapq.heappop(waiting)
                continue
            end = now + left[index]
            if stop is not None and stop < end:
                end = stop
            if next_pass < count and passes[next_pass][0].purchased_at < end:
                end = passes[next_pass][0].purchased_at
            left[index] -= end - now
            if runs and runs[-1][0] is state and runs[-1][3] == now:
                runs[-1][3] = end
            else:
                runs.append([state, product, now, end])
            now = end

    def subscriptions(self) -> list:
        """Rows of the projection: `(purchase row id, external id, environment, product, tier, starts, ends)`."""
        rows = []
        for state in self.purchases:
            span = self.spans.get(state.key)
            if span is None:
                continue
            product = self.catalog.products[state.product_id]
            rows.append(
                (
                    self.ids[state.key], state.original_transaction_id, state.environment, state.product_id,
                    product.tier.id, span[0], span[1],
                )
            )
        return rows
