package import Entitlements
package import LedgerStore

/// Purchases that get an owner, or change hands (`semantics.md` §5).
extension Principal {
    /// Gives the user a purchase that nobody has. The reply is its key.
    package func bind(_ key: PurchaseKey, reason: String) -> LedgerAct<PurchaseKey, OperatorRefusal> {
        operating(.bindPurchase, keys: [key], reason: reason, key.auditDetails) { act, history, _ in
            act.bind(key, given: history)
        }
    }

    /// Moves the rest of one purchase, or of all, to `receiver`. The reply is the purchases that moved.
    ///
    /// - Parameter request: The label of the request. A repeat gets the first reply.
    package func transfer(
        _ selection: OperatorAct.Selection, to receiver: UserID, request: Label?, reason: String
    ) -> LedgerAct<[PurchaseKey], OperatorRefusal> {
        operating(.transfer, with: receiver, everythingOf: user, reason: reason) { act, history, context in
            act.transfer(selection, to: receiver, request: request, given: history, in: context)
        }
    }

    /// Moves everything of `guest` to the user. The reply is the purchases that moved.
    ///
    /// - Parameter request: The label of the request. A repeat gets the first reply.
    package func merge(
        _ guest: UserID, request: Label?, reason: String, under labels: Labels
    ) -> LedgerAct<[PurchaseKey], OperatorRefusal> {
        let name = labels.mention(of: guest)
        return operating(.merge, with: guest, everythingOf: guest, reason: reason) { act, history, context in
            act.merge(guest, mentionedAs: name, request: request, given: history, in: context)
        }
    }

    /// Moves everything of the user of an Apple account to the user, and notes that the account is theirs. The reply is
    /// true if a purchase moved.
    func adopt(_ account: UserID, under labels: Labels) -> LedgerAct<Bool, AppleAccountRefusal> {
        let name = labels.mention(of: account)
        return LedgerAct(for: [user], everythingOf: account, audit: nil) { [user] history, context in
            AdoptAccount(account, mentionedAs: name, by: user).decide(given: history, in: context)
        }
    }

    /// Signs out the Apple accounts that stand for the user.
    package func signOut(
        reason: String, under labels: Labels
    ) -> LedgerAct<OperatorAct.SignOut, OperatorRefusal> {
        let name = labels.mention(of: user)
        return operating(.signOutUser, everythingOf: user, reason: reason) { act, history, _ in
            act.signOut(mentionedAs: name, given: history)
        }
    }
}

extension Store {
    /// The only purchase of `user` that `name` means.
    package func purchase(
        _ name: PurchaseName, of user: UserID
    ) async throws(ServiceFailure) -> Result<PurchaseKey, OperatorRefusal> {
        let timeline = Timeline(
            folding: try await reader.ledger(of: user), given: catalogue.snapshot, settings: settings)
        return timeline.position(ofHeld: name).map { timeline.purchases[$0].key }
    }

    /// The only recorded purchase that `name` means, whoever owns it.
    package func purchase(
        _ name: PurchaseName
    ) async throws(ServiceFailure) -> Result<PurchaseKey, OperatorRefusal> {
        let keys = try await reports.purchases(under: name.id).filter { name.means($0) }
        guard let key = keys.first else { return .failure(.unknownPurchase) }
        return keys.count == 1 ? .success(key) : .failure(.ambiguousPurchase)
    }
}
