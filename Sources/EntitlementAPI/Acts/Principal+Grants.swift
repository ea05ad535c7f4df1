package import Entitlements
package import LedgerStore

/// Grants, and the list of sandbox testers.
extension Principal {
    /// Grants `offer`, as the grant `id`. A repeat gives the first grant again.
    package func give(
        _ offer: OperatorAct.Offer, as id: ExternalID, reason: String, reference: String
    ) -> LedgerAct<Told<Grant>, OperatorRefusal> {
        operating(
            .giveGrant, keys: [Grant.key(id)], reason: reason, reference: reference,
            offer.auditDetails(as: id, reference: reference)
        ) { act, history, context in
            act.give(offer, as: id, given: history, in: context).tellingRepeats
        }
    }

    /// Grants a late pass again from now on (`semantics.md` §6, *Ended before attached*). The grant's id depends on the
    /// pass alone, so a pass is made good at most once, whoever owns it.
    package func makeGood(
        _ key: PurchaseKey, reason: String, reference: String, under labels: Labels
    ) -> LedgerAct<Told<Grant>, OperatorRefusal> {
        give(.latePass(key), as: Self.nameForGood(key, under: labels), reason: reason, reference: reference)
    }

    /// The id of the grant that makes a late pass good.
    static func nameForGood(_ key: PurchaseKey, under labels: Labels) -> ExternalID {
        ExternalID(
            labels.label(
                .reference, "make good", key.source.text, key.app.text, key.environment.rawValue, key.externalID.text
            ).text)
    }

    /// Withdraws a grant whole, from now on and for good. The reply is the instant.
    package func withdrawGrant(_ id: ExternalID, reason: String) -> LedgerAct<Instant, OperatorRefusal> {
        withdraw(Grant.key(id), .withdrawGrant, reason: reason, ["grant_id": id.text])
            .deciding { decision, _ in decision.mapReply(\.at) }
    }

    /// Withdraws a purchase whole, from now on and for good.
    package func withdrawPurchase(
        _ key: PurchaseKey, reason: String
    ) -> LedgerAct<OperatorAct.Withdrawal, OperatorRefusal> {
        withdraw(key, .withdrawPurchase, reason: reason, key.auditDetails)
    }

    private func withdraw(
        _ key: PurchaseKey, _ action: AuditAction, reason: String, _ details: [String: String]
    ) -> LedgerAct<OperatorAct.Withdrawal, OperatorRefusal> {
        operating(action, keys: [key], reason: reason, details) { act, history, context in
            act.withdraw(key, given: history, in: context)
        }
    }

    /// Puts the user on the list of sandbox testers, or takes them off (`semantics.md` §9). The reply is true if they
    /// are on it.
    package func nameSandboxTester(_ isTester: Bool, reason: String?) -> LedgerAct<Bool, OperatorRefusal> {
        operating(isTester ? .nameSandboxTester : .unnameSandboxTester, reason: reason) { act, history, _ in
            act.nameSandboxTester(isTester, given: history)
        }
    }
}

extension PurchaseKey {
    /// The names of a purchase in the details of an entry of the audit trail.
    var auditDetails: [String: String] {
        var details = [
            "source": source.text, "environment": environment.rawValue, "external_id": externalID.text,
        ]
        details["app"] = appText
        return details
    }
}
