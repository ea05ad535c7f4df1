extension UserLedger {
    /// True if the user is on the list of sandbox testers at `instant` (`semantics.md` §9).
    package func isSandboxTester(at instant: Instant = .distantFuture) -> Bool {
        for entry in testerEntries.reversed() where entry.effectiveAt <= instant {
            if case .sandboxTester(let isTester) = entry.fact { return isTester }
        }
        return false
    }

    /// Returns the first instant after `instant` at which the user is put on the list of sandbox testers or taken off
    /// it.
    package func nextChangeOfTesters(after instant: Instant) -> Instant? {
        testerEntries.lazy.map(\.effectiveAt).filter { $0 > instant }.min()
    }

    /// True if the user's last act of consent allows the server to tell Apple about consumption; false if there is
    /// none.
    package var consentsToConsumption: Bool {
        for entry in entries.reversed() {
            if case .consumptionConsent(let consents) = entry.fact { return consents }
        }
        return false
    }

    /// Returns the grant of `key`, even if it has gone to another user since.
    package func grant(of key: PurchaseKey) -> Grant? {
        for entry in entries {
            if case .granted(let grant) = entry.fact, grant.key == key { return grant }
        }
        return nil
    }

    /// Returns the instant from which on the purchase is withdrawn; nil if it is not.
    package func withdrawnAt(_ key: PurchaseKey) -> Instant? {
        entries.first { $0.fact == .withdrawn(key) }?.effectiveAt
    }

    /// The latest instant at which an act with credits, a transfer or a withdrawal takes effect. It can lie up to five
    /// minutes ahead of `now`, because clocks differ by that much (`semantics.md` §2).
    package var lastActAt: Instant {
        entries.reduce(.distantPast) { latest, entry in
            switch entry.fact {
            case .credit, .gaveAway, .received, .withdrawn:
                max(latest, entry.effectiveAt)
            case .stated, .bound, .granted, .device, .sandboxTester, .consumptionConsent: latest
            }
        }
    }

    /// Returns the reservations that are neither committed nor released, and whose deadline comes after `instant`.
    func openReservations(at instant: Instant) -> [ReservationID] {
        var open: [ReservationID] = []
        for case .credit(let act) in entries.lazy.map(\.fact) {
            switch act {
            case .spent: continue
            case .reserved(let reservation): if reservation.expiresAt > instant { open.append(reservation.id) }
            case .committed(let id, _), .released(let id): open.removeAll { $0 == id }
            }
        }
        return open
    }

    /// Returns the purchases that the user gave away by one request, in the order of their keys.
    package func given(by request: Label) -> [PurchaseKey] {
        entries.compactMap { entry in
            guard case .gaveAway(let key, let handover) = entry.fact, handover.request == request else { return nil }
            return key
        }.sorted()
    }

    /// Returns the number of purchases that came to the user by the catalogue's policy after `instant`.
    package func arrivalsByPolicy(after instant: Instant) -> Int {
        entries.count { entry in
            guard case .received(_, let handover) = entry.fact else { return false }
            return handover.cause == .policy && entry.effectiveAt > instant
        }
    }
}
