/// A bound on acts that a user can repeat at will: how many of them are recorded in 24 hours. It keeps ledgers from
/// growing without end (`api.md`, "Limits").
///
/// A bound refuses acts, never evidence. It never refuses an act that takes back or ends another, because there are no
/// more of these than of the acts that they end. It counts only acts of users themselves, not of servers.
package enum DailyBound: String, Hashable, Sendable, CaseIterable {
    /// Changes of the consent to tell Apple about consumption. A withdrawal of the consent is never refused.
    case consent
    /// Changes of a device's name or pin.
    case deviceName
    /// Devices that are registered or reactivated.
    case device
    /// Credits that are spent or reserved.
    case credits

    package var limit: Int {
        switch self {
        case .consent, .deviceName: 20
        case .device: 200
        case .credits: 2_000
        }
    }

    /// The answer to an act beyond its bound.
    package struct Exceeded: Hashable, Sendable {
        package let bound: DailyBound
        /// The instant from which the next act of this kind is accepted.
        package let until: Instant

        package init(bound: DailyBound, until: Instant) {
            self.bound = bound
            self.until = until
        }
    }

    static let milliseconds = Instant.millisecondsPerDay
}

/// The reason why a bounded act is not recorded.
package enum BoundedRefusal<Refusal: Error>: Error {
    case exceeded(DailyBound.Exceeded)
    case refused(Refusal)
}

extension BoundedRefusal: Equatable where Refusal: Equatable {}

extension Decision {
    /// Returns this decision, or a refusal without any entries if it holds an act beyond a bound of `user`. With nil as
    /// `user` nothing is bounded.
    package func bounded(for user: UserID?, given history: PurchaseHistory) -> Decision<Reply, BoundedRefusal<Refusal>>
    {
        if let user, let exceeded = history.ledger(of: user).bound(exceededBy: drafts[user] ?? [], at: history.now) {
            return Decision<Reply, BoundedRefusal<Refusal>>(answer: .failure(.exceeded(exceeded)))
        }
        return mapRefusal { .refused($0) }
    }
}

extension UserLedger {
    /// Returns the bound that `drafts` would exceed at `now`; nil if there is none.
    fileprivate func bound(exceededBy drafts: [LedgerEntry.Draft], at now: Instant) -> DailyBound.Exceeded? {
        guard drafts.contains(where: { $0.fact.isUserAct }) else { return nil }
        let since = now + -DailyBound.milliseconds
        var onRecord: Set<Label> = []
        var recorded: [DailyBound: [Instant]] = [:]
        // All entries have to be read to know which devices are on record.
        let isAboutDevices = drafts.contains { $0.fact.isAboutDevice }
        let first = isAboutDevices ? 0 : (entries.lastIndex { $0.recordedAt <= since } ?? -1) + 1
        for entry in entries[first...] where entry.fact.isUserAct {
            guard let bound = entry.fact.bound(&onRecord), entry.isOwnAct, entry.recordedAt > since
            else { continue }
            recorded[bound, default: []].append(entry.recordedAt)
        }
        for draft in drafts where !draft.fact.isWithdrawal {
            guard let bound = draft.fact.bound(&onRecord) else { continue }
            let acts = recorded[bound, default: []]
            if acts.count >= bound.limit {
                return .init(bound: bound, until: acts[acts.count - bound.limit] + DailyBound.milliseconds)
            }
            recorded[bound] = acts + [now]
        }
        return nil
    }
}

extension Fact {
    fileprivate var isAboutDevice: Bool { if case .device = self { true } else { false } }

    /// True if the act withdraws the user's consent.
    fileprivate var isWithdrawal: Bool { self == .consumptionConsent(false) }

    /// Returns the bound that counts the act; nil if none does. `devices` are those on record before the act, and are
    /// updated to those after it.
    fileprivate func bound(_ devices: inout Set<Label>) -> DailyBound? {
        switch self {
        case .consumptionConsent: return .consent
        case .credit(let act):
            switch act {
            case .spent, .reserved: return .credits
            case .committed, .released: return nil
            }
        case .device(let act):
            switch act.deed {
            case .registered: return devices.insert(act.device).inserted ? .device : .deviceName
            case .reactivated: return .device
            case .removed:
                devices.remove(act.device)
                return nil
            case .suspended, .seen: return nil
            }
        case .stated, .bound, .granted, .withdrawn, .gaveAway, .received,
            .sandboxTester:
            return nil
        }
    }
}
