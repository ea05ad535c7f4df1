extension UserLedger {
    /// True if the last entry that holds by `instant` put the user on the list of sandbox testers (`semantics.md` §9).
    package func isSandboxTester(at instant: Instant = .distantFuture) -> Bool {
        for entry in testerEntries.reversed() where entry.effectiveAt <= instant {
            if case .sandboxTester(let isTester) = entry.fact { return isTester }
        }
        return false
    }

    /// When the user was next put on that list or taken off it.
    package func nextChangeOfTesters(after instant: Instant) -> Instant? {
        testerEntries.lazy.map(\.effectiveAt).filter { $0 > instant }.min()
    }

    /// True if Apple may be told about the user's consumption, by the user's last word on it.
    package var consentsToConsumption: Bool {
        for entry in entries.reversed() {
            if case .consumptionConsent(let consents) = entry.fact { return consents }
        }
        return false
    }

    /// The grant of `key`, also if another user has it now.
    package func grant(of key: PurchaseKey) -> Grant? {
        for entry in entries {
            if case .granted(let grant) = entry.fact, grant.key == key { return grant }
        }
        return nil
    }

    /// Since when an operator's revocation holds.
    package func withdrawnAt(_ key: PurchaseKey) -> Instant? {
        entries.first { $0.fact == .withdrawn(key) }?.effectiveAt
    }

    /// When the latest of what changes hands or balances holds, which may lie ahead of our clock by what is forgiven.
    package var lastActAt: Instant {
        entries.reduce(.distantPast) { latest, entry in
            switch entry.fact {
            case .credit, .gaveAway, .received, .withdrawn:
                max(latest, entry.effectiveAt)
            case .stated, .bound, .granted, .device, .sandboxTester, .consumptionConsent: latest
            }
        }
    }

    /// The reservations that are held at `instant`.
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

    /// The purchases that this user gave away by one request.
    package func given(by request: Label) -> [PurchaseKey] {
        entries.compactMap { entry in
            guard case .gaveAway(let key, let handover) = entry.fact, handover.request == request else { return nil }
            return key
        }.sorted()
    }

    /// How many purchases came to this user by the catalogue's policy after `instant`.
    package func arrivalsByPolicy(after instant: Instant) -> Int {
        entries.count { entry in
            guard case .received(_, let handover) = entry.fact else { return false }
            return handover.cause == .policy && entry.effectiveAt > instant
        }
    }
}
