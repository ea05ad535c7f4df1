package import Entitlements
package import LedgerStore

/// The part of a restore that Apple's history adds.
struct Healing {
    /// The member `history` of the answer, as the API writes it.
    enum Answer: String {
        case complete
        case recent
        case pending
        case unavailable
        case notConfigured = "not_configured"
    }

    var answer: Answer
    /// The number of purchases that came to the user and that the client did not send.
    var recovered = 0
    /// The answer to the status afterwards, and the instant that it is for; nil if no history was read.
    var status: (answer: StandingAnswer, at: Instant)?
}

extension UserCall {
    /// Walks through Apple's history for the user, at most once in ten minutes. A walk that takes longer than three
    /// seconds goes on behind the answer, and a job does what fails. No fault of it spoils the restore.
    ///
    /// - Parameters:
    ///   - proof: The Apple account that the request proved.
    ///   - at: The instant that the restore's answer is for.
    func healed(by proof: AccountProof?, at: Instant) async -> Healing {
        guard let history = api.history else { return Healing(answer: .notConfigured) }
        do throws(Problem) {
            if try await served({ try await $0.history.isRecent(user) }) { return Healing(answer: .recent) }
            let ledger = try await ledger(of: user)
            let walks = StoreHistory.walks(through: ledger, held: timeline(of: ledger), by: proof)
            guard !walks.isEmpty else { return Healing(answer: .complete) }
            switch try await served({ try await $0.history.begin(walks, of: user, by: proof) }) {
            case .recent: return Healing(answer: .recent)
            case .owed: return Healing(answer: .pending)
            case .unknownUser: return Healing(answer: .complete)
            case .begun(let person):
                let walking = Task { () -> StoreHistory.Walked? in
                    // `try?` drops the failure, which is logged; a job goes on.
                    try? await history.walk(for: person)
                }
                guard let walked = await walking.value(within: history.patience) else {
                    return Healing(answer: .pending)
                }
                let ledger = try await self.ledger(of: user)
                let later = Attach.answeredAt(max(at, api.now()), recording: ledger.entries.compactMap(\.fact.state))
                let status = StatusBody.answer(timeline(of: ledger).status(at: later, explains: false))
                return Healing(
                    answer: walked?.isWhole == true ? .complete : .unavailable, recovered: walked?.recovered ?? 0,
                    status: (status, later))
            }
        } catch {
            return Healing(answer: .unavailable)
        }
    }
}

extension StoreHistory {
    /// A walk for each app, environment and Apple account among the purchases that the user has. A purchase that names
    /// no Apple account has a walk of its own.
    package static func walks(
        through ledger: UserLedger, held timeline: Timeline, by proof: AccountProof?
    ) -> [HistoryWalk] {
        var accounts: [PurchaseKey: Label] = [:]
        var purchases: Set<PurchaseKey> = []
        for state in ledger.entries.lazy.compactMap(\.fact.state)
        where state.key.source == .appleIAP && timeline.position(ofHeld: state.key) != nil {
            purchases.insert(state.key)
            if let account = state.account { accounts[state.key] = account }
        }
        var walks: [AccountProof: HistoryWalk] = [:]
        for (purchase, account) in accounts.sorted(by: { $0.key < $1.key }) {
            let owner = AccountProof(of: account, in: purchase.app, purchase.environment)
            walks[owner] = HistoryWalk(through: purchase, of: account, isProven: owner == proof)
        }
        return walks.values.sorted { $0.purchase < $1.purchase }
            + purchases.subtracting(accounts.keys).sorted().map { HistoryWalk(through: $0, of: nil, isProven: false) }
    }
}
