import Entitlements

extension Workspace {
    /// Calls buried purchases, and their transactions, periods and Apple accounts, as the evidence names them, so that
    /// decisions find them and know nothing of tombstones.
    mutating func recognize(_ recognition: Recognition) {
        if !recognition.isEmpty {
            for (key, holding) in holdings where holding.hasTombstones {
                holdings[key]?.states = holding.states.map { $0.recognized(by: recognition) }
            }
            for (user, person) in people where user.isErased || !person.tombstones.isEmpty {
                people[user] = person.recognized(by: recognition)
            }
        }
        noteTombstones()
    }

    /// What stands in the rows for `key`.
    func stored(_ key: PurchaseKey) -> PurchaseKey { tombstones[key] ?? key }

    /// `entry` as its hash covers it.
    func stored(_ entry: LedgerEntry) -> LedgerEntry {
        tombstones.isEmpty ? entry : entry.renamed { stored($0) }
    }

    /// Whether what is called by `key` here stands under its tombstone alone in the rows, because it is an erased person's.
    func isBuried(_ key: PurchaseKey) -> Bool {
        guard let holding = holdings[key], holding.tombstone != nil else { return false }
        return holding.owner?.isErased ?? false
    }

    /// What may be written of a state that is an erased person's, or carries the token of one who had the purchase; nil for
    /// any other, which is written as it is and keeps its text.
    func remains(of state: VerifiedPurchase) -> VerifiedPurchase? {
        guard let holding = holdings[state.key], let owner = holding.owner else { return nil }
        if owner.isErased {
            return isBuried(state.key) ? state.buried(under: tombstoneKey) : state.withoutOwner(under: tombstoneKey)
        }
        guard let holder = state.accountToken.flatMap({ tokenHolders[$0] }), holder.isErased,
            holding.formerHolders.contains(holder), !hasReclaimed(state.key, owner)
        else { return nil }
        return state.withoutToken
    }

    /// Whether `owner` showed to be whose Apple account it was: the token is their own then.
    private func hasReclaimed(_ key: PurchaseKey, _ owner: UserID) -> Bool {
        let arrivals = people[owner]?.ledger.entries.compactMap { entry -> Handover.Cause? in
            guard case .received(key, let handover) = entry.fact else { return nil }
            return handover.cause
        }
        return arrivals?.last == .reclaim
    }
}

extension Workspace.Holding {
    fileprivate var hasTombstones: Bool {
        tombstone != nil
            || states.contains { $0.purchase.appTransactionID.map { TombstoneKey.isTombstone($0.text) } ?? false }
    }
}

extension Workspace.State {
    fileprivate func recognized(by recognition: Recognition) -> Workspace.State {
        let recognized = recognition.recognized(purchase)
        return Workspace.State(
            purchase: recognized, contentHash: contentHash, id: id, textOf: textOf, repeats: repeats, new: new,
            isRecognized: recognized.transactionID != purchase.transactionID
                || recognized.periodID != purchase.periodID)
    }
}

extension Workspace.Person {
    fileprivate func recognized(by recognition: Recognition) -> Workspace.Person {
        let entries = ledger.entries.map { entry in
            guard let state = entry.fact.state else { return entry.renamed(by: recognition.name(of:)) }
            return LedgerEntry(
                effectiveAt: entry.effectiveAt, recordedAt: entry.recordedAt,
                fact: .evidence(recognition.recognized(state)), note: entry.note)
        }
        let recognized = UserLedger(user: ledger.user, entries: entries)
        return Workspace.Person(
            head: head, loaded: recognized, purchases: purchases.renamed(by: recognition),
            tombstones: tombstones.renamed(by: recognition), ledger: recognized)
    }
}

extension Dictionary where Key == PurchaseKey {
    fileprivate func renamed(by recognition: Recognition) -> Self {
        Dictionary(map { (recognition.name(of: $0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
