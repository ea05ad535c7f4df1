import Entitlements

extension Workspace {
    /// Puts the Apple accounts that the evidence names where their tombstones stand, so that decisions find the account that
    /// bought a purchase though its holder was erased.
    mutating func recognize(_ accounts: Set<AppTransactionID>, under key: TombstoneKey) {
        guard !accounts.isEmpty, holdings.values.contains(where: { $0.hasTombstone }) else { return }
        let accountOf = Dictionary(
            accounts.map { (key.tombstone(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
        for (key, holding) in holdings where holding.hasTombstone {
            holdings[key]?.states = holding.states.map { $0.recognized(by: accountOf) }
        }
        for (user, person) in people where user.isErased {
            people[user] = person.recognized(by: accountOf)
        }
    }

    /// What may be written of a state that is an erased person's, or carries the token of one who had the purchase; nil for
    /// any other, which is written as it is and keeps its text.
    func remains(of state: VerifiedPurchase, under key: TombstoneKey) -> VerifiedPurchase? {
        guard let holding = holdings[state.key], let owner = holding.owner else { return nil }
        if owner.isErased { return state.buried(under: key) }
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
    fileprivate var hasTombstone: Bool {
        states.contains { $0.purchase.appTransactionID.map(TombstoneKey.isTombstone) ?? false }
    }
}

extension Workspace.State {
    fileprivate func recognized(by accounts: [AppTransactionID: AppTransactionID]) -> Workspace.State {
        Workspace.State(
            purchase: purchase.recognized(by: accounts), contentHash: contentHash, id: id, textOf: textOf,
            repeats: repeats, new: new)
    }
}

extension Workspace.Person {
    fileprivate func recognized(by accounts: [AppTransactionID: AppTransactionID]) -> Workspace.Person {
        let entries = ledger.entries.map { entry in
            guard let state = entry.fact.state else { return entry }
            return LedgerEntry(
                effectiveAt: entry.effectiveAt, recordedAt: entry.recordedAt,
                fact: .evidence(state.recognized(by: accounts)), note: entry.note)
        }
        let recognized = UserLedger(user: ledger.user, entries: entries)
        return Workspace.Person(head: head, loaded: recognized, purchases: purchases, ledger: recognized)
    }
}

extension VerifiedPurchase {
    fileprivate func recognized(by accounts: [AppTransactionID: AppTransactionID]) -> VerifiedPurchase {
        guard let account = appTransactionID.flatMap({ accounts[$0] }) else { return self }
        return named(accountToken, account)
    }

    /// The same with what an erased person leaves.
    func buried(under key: TombstoneKey) -> VerifiedPurchase {
        named(nil, appTransactionID.map { key.tombstone(of: $0) })
    }

    fileprivate var withoutToken: VerifiedPurchase { named(nil, appTransactionID) }

    /// The same without account token and Apple account.
    var withoutNames: VerifiedPurchase { named(nil, nil) }

    private func named(_ token: AccountToken?, _ account: AppTransactionID?) -> VerifiedPurchase {
        VerifiedPurchase(
            key: key, transactionID: transactionID, periodID: periodID, productID: productID, type: type,
            purchasedAt: purchasedAt, originallyPurchasedAt: originallyPurchasedAt, expiresAt: expiresAt,
            quantity: quantity, isFamilyShared: isFamilyShared, isUpgraded: isUpgraded, revocation: revocation,
            accountToken: token, appTransactionID: account, signedAt: signedAt)
    }
}
