/// Acts that users can do again and again, and how often each is recorded of one user in 24 hours, so that no ledger
/// grows without end (`api.md`, "Limits").
///
/// A bound refuses acts and never evidence. No bound refuses an act that takes back or ends another: there are no more
/// of these than of the acts that they end. Only acts that users do by themselves count: a server answers for its own.
package enum DailyBound: String, Hashable, Sendable, CaseIterable {
    /// Changes of the consent to tell Apple about consumption.
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

    /// An act too many.
    package struct Exceeded: Hashable, Sendable {
        package let bound: DailyBound
        /// When the next one is recorded.
        package let until: Instant

        package init(bound: DailyBound, until: Instant) {
            self.bound = bound
            self.until = until
        }
    }

    static let milliseconds = Instant.millisecondsPerDay
}

/// Why nothing is recorded: of an act that is bounded.
package enum BoundedRefusal<Refusal: Error>: Error {
    case exceeded(DailyBound.Exceeded)
    case refused(Refusal)
}

extension BoundedRefusal: Equatable where Refusal: Equatable {}

extension Decision {
    /// This decision, unless it holds an act too many for the day of `user`: then nothing is appended. Nil bounds
    /// nothing.
    package func bounded(for user: UserID?, given history: PurchaseHistory) -> Decision<Reply, BoundedRefusal<Refusal>>
    {
        if let user, let exceeded = history.ledger(of: user).bound(exceededBy: drafts[user] ?? [], at: history.now) {
            return Decision<Reply, BoundedRefusal<Refusal>>(answer: .failure(.exceeded(exceeded)))
        }
        return Decision<Reply, BoundedRefusal<Refusal>>(
            bindings: bindings, bindingNote: bindingNote, moves: moves, drafts: drafts,
            tokens: tokens, placement: placement,
            answer: answer.mapError { .refused($0) })
    }
}

extension UserLedger {
    /// The bound that `drafts` would exceed at `now`.
    fileprivate func bound(exceededBy drafts: [LedgerEntry.Draft], at now: Instant) -> DailyBound.Exceeded? {
        guard drafts.contains(where: { $0.fact.isUserAct }) else { return nil }
        let since = now + -DailyBound.milliseconds
        var onRecord: Set<Label> = []
        var recorded: [DailyBound: [Instant]] = [:]
        // Which devices are on record, only all entries tell.
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

    /// True if the act takes back a permission of the user.
    fileprivate var isWithdrawal: Bool { self == .consumptionConsent(false) }

    /// The bound that counts it, where `devices` are on record before it, and are then as they are after it.
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
