import Entitlements
import LedgerStore

/// The user that a request acts for, and the server that asks for them, if it is a server that asks.
///
/// The work of a route takes a principal, so that a user's path and the path for servers differ in nothing else.
struct Principal: Sendable {
    let user: UserID
    /// A server; nil for the user.
    let actor: Actor?

    /// The note beside a fact; nil when there is nothing to say.
    func note(reason: String? = nil, reference: String? = nil) -> Note? {
        guard actor != nil || reason != nil || reference != nil else { return nil }
        return Note(actor: actor?.text, reason: reason, reference: reference)
    }

    /// Why a server does it, in its words. The body of a user's request holds no reason.
    ///
    /// - Throws: `invalid_request` for a reason that is no text, or too long.
    func reason(in body: JSONBody) throws(Problem) -> String? {
        actor == nil ? nil : try Reason(optionalIn: body.value).text
    }

    /// The audited act; nil for an act of the user's own.
    func audit(
        _ action: AuditAction, with other: UserID? = nil, reason: String? = nil, _ details: [String: String] = [:]
    ) -> AuditedAct? {
        actor.map { AuditedAct(by: $0, action, to: user, with: other, details: details, reason: reason) }
    }
}

extension SignedCall {
    /// Records what `deciding` decides about a user.
    ///
    /// - Parameters:
    ///   - others: Further users whose ledgers the decision needs.
    ///   - audit: The entry of the audit trail if the decision changes anything.
    ///   - problem: Makes a client's problem of a refusal.
    /// - Throws: `rate_limited` for a user's act beyond its daily bound, the problem of a refusal, `unavailable`.
    func recorded<Reply, Refusal>(
        for principal: Principal, and others: Set<UserID> = [], keys: Set<PurchaseKey> = [],
        everythingOf giver: UserID? = nil, audit: AuditedAct?, orElse problem: (Refusal) -> Problem,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(Problem) -> Reply {
        switch try await answer(
            to: principal, and: others, keys: keys, everythingOf: giver, audit: audit, deciding: deciding)
        {
        case .success(let reply): return reply
        case .failure(let refusal): throw problem(refusal)
        }
    }

    /// Records a decision that refuses nobody.
    ///
    /// - Throws: `rate_limited` for a user's act beyond its daily bound, `unavailable`.
    func recorded<Reply>(
        for principal: Principal, audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Never>
    ) async throws(Problem) -> Reply {
        try await answer(to: principal, and: [], keys: [], everythingOf: nil, audit: audit, deciding: deciding).get()
    }

    private func answer<Reply, Refusal>(
        to principal: Principal, and others: Set<UserID>, keys: Set<PurchaseKey>, everythingOf giver: UserID?,
        audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(Problem) -> Result<Reply, Refusal> {
        let recorded = try await served {
            try await $0.ledger.record(
                for: others.union([principal.user]), keys: keys, everythingOf: giver, audit: audit
            ) { history, context in
                deciding(history, context).bounded(for: principal.actor == nil ? principal.user : nil, given: history)
            }
        }
        switch recorded.answer {
        case .success(let reply): return .success(reply)
        case .failure(.exceeded(let exceeded)): throw Problem(exceeded, at: recorded.history.now)
        case .failure(.refused(let refusal)): return .failure(refusal)
        }
    }

    /// The timeline of a user.
    ///
    /// - Throws: `unavailable`.
    func timeline(of principal: Principal) async throws(Problem) -> Timeline {
        timeline(of: try await ledger(of: principal.user))
    }

    /// The timeline of `ledger`, with the list of sandbox testers as it stands at `instant`.
    func timeline(of ledger: UserLedger, testersAt instant: Instant = .distantFuture) -> Timeline {
        Timeline(
            folding: ledger, given: api.catalogue, settings: api.settings, testersAt: instant)
    }

    /// The only purchase of the user that `name` means.
    ///
    /// - Throws: `unknown_purchase`, `ambiguous_purchase`, `unavailable`.
    func purchase(_ name: PurchaseName, of principal: Principal) async throws(Problem) -> PurchaseKey {
        let timeline = try await timeline(of: principal)
        switch timeline.position(ofHeld: name) {
        case .success(let position): return timeline.purchases[position].key
        case .failure(let refusal): throw Problem(refusal)
        }
    }
}
