import Entitlements
package import LedgerStore

extension Call {
    /// Carries out `act`, and logs that somebody did it to somebody.
    ///
    /// - Throws: `unavailable`.
    package func record<Reply, Refusal>(
        _ act: LedgerAct<Reply, Refusal>
    ) async throws(Problem) -> Recorded<Reply, Refusal> {
        let recorded = try await served { try await $0.ledger.record(act) }
        if let audit = act.audit, recorded.hasChanged { api.logger.tell(audit.action, by: audit.actor) }
        return recorded
    }
}

extension SignedCall {
    /// Records `act`, or previews it if the request is a dry run. Returns the answer, and the instant of the decision.
    ///
    /// - Throws: `unavailable`.
    func perform<Reply, Refusal>(
        _ act: LedgerAct<Reply, Refusal>
    ) async throws(Problem) -> (answer: Result<Reply, Refusal>, at: Instant) {
        guard let sheet = previewSheet else {
            let recorded = try await record(act)
            return (recorded.answer, recorded.history.now)
        }
        return try await inTurn(at: .previews) { () async throws(Problem) in
            try await served { store in
                let previewed = try await store.ledger.preview(act)
                sheet.note(try previewed.statuses(in: store.foldContext))
                return (previewed.answer, previewed.before.now)
            }
        }
    }

    /// Performs an act of a user or of a server, and gives its reply.
    ///
    /// - Parameter problem: Turns a refusal into the client's problem.
    /// - Throws: `rate_limited` if a user exceeds the daily limit on this kind of act, the problem of a refusal,
    ///   `unavailable`.
    func perform<Reply, Refusal>(
        _ act: LedgerAct<Reply, Refusal>, for principal: Principal, orElse problem: (Refusal) -> Problem
    ) async throws(Problem) -> Reply {
        let user = principal.actor == nil ? principal.user : nil
        let performed = try await perform(act.deciding { $0.bounded(for: user, given: $1) })
        switch performed.answer {
        case .success(let reply): return reply
        case .failure(.exceeded(let exceeded)): throw Problem(exceeded, at: performed.at)
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
        try await inTurn(about: principal.user) { () async throws(Problem) in
            try await served { try await $0.purchase(name, of: principal.user) }
        }.orProblem()
    }
}

extension Result where Failure == OperatorRefusal {
    /// The reply of the decision.
    ///
    /// - Throws: The problem of the refusal.
    func orProblem() throws(Problem) -> Success {
        switch self {
        case .success(let reply): return reply
        case .failure(let refusal): throw Problem(refusal)
        }
    }
}
