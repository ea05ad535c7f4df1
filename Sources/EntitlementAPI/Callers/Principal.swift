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
        actor == nil ? nil : try body.reason()
    }

    /// The audited act; nil for an act of the user's own.
    func audit(_ action: AuditAction, reason: String? = nil, _ details: [String: String] = [:]) -> AuditedAct? {
        actor.map { AuditedAct(by: $0, action, to: user, details: details, reason: reason) }
    }
}

extension SignedCall {
    /// Records what `deciding` decides about a user.
    ///
    /// - Parameters:
    ///   - audit: The entry of the audit trail if the decision changes anything.
    ///   - problem: Makes a client's problem of a refusal.
    /// - Throws: `rate_limited` for a user's act beyond its daily bound, the problem of a refusal, `unavailable`.
    func recorded<Reply, Refusal>(
        for principal: Principal, audit: AuditedAct?, orElse problem: (Refusal) -> Problem,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(Problem) -> Reply {
        let recorded = try await served {
            try await $0.ledger.record(for: [principal.user], audit: audit) { history, context in
                deciding(history, context).bounded(for: principal.actor == nil ? principal.user : nil, given: history)
            }
        }
        switch recorded.answer {
        case .success(let reply): return reply
        case .failure(.exceeded(let exceeded)): throw Problem(exceeded, at: recorded.history.now)
        case .failure(.refused(let refusal)): throw problem(refusal)
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
        return timeline.purchases[try timeline.position(ofHeld: name).orProblem()].key
    }
}
