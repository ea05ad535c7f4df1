import Entitlements
import LedgerStore

/// The user that a request acts for, and the server that sent it, if a server did.
///
/// Routes take a principal, so the path for users and the path for servers share their code.
struct Principal: Sendable {
    let user: UserID
    /// The server that asks; nil if the user asks.
    let actor: Actor?

    /// The note to store beside a fact; nil if it would be empty.
    func note(reason: String? = nil, reference: String? = nil) -> Note? {
        guard actor != nil || reason != nil || reference != nil else { return nil }
        return Note(actor: actor?.text, reason: reason, reference: reference)
    }

    /// The member `reason` of a server's request; nil for a user, whose request has none.
    ///
    /// - Throws: `invalid_request` if it is no text or too long.
    func reason(in body: JSONBody) throws(Problem) -> String? {
        actor == nil ? nil : try body.reason()
    }

    /// The act for the audit trail; nil for a user's own act, which is not audited.
    func audit(_ action: AuditAction, reason: String? = nil, _ details: [String: String] = [:]) -> AuditedAct? {
        actor.map { AuditedAct(by: $0, action, to: user, details: details, reason: reason) }
    }
}

extension SignedCall {
    /// Runs the decision `deciding` about a user and records its facts.
    ///
    /// - Parameters:
    ///   - audit: The entry for the audit trail, written if the decision changes anything.
    ///   - problem: Turns a refusal into the client's problem.
    /// - Throws: `rate_limited` if a user exceeds the daily limit on this kind of act, the problem of a refusal,
    ///   `unavailable`.
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
