import EntitlementAPI
import Entitlements
import LedgerStore

/// A person whom an act concerns, as they are and as they would be.
struct PersonPreview: Sendable {
    let user: UserID
    let before: Timeline
    let after: Timeline
}

/// The effect that an act would have.
struct ActPreview: Sendable {
    var people: [PersonPreview] = []
    let at: Instant
    /// The ledgers on which the preview was made.
    let lengths: LedgerLengths
    /// False if the same form has acted already, or nothing is left to do.
    var wouldChange = true
    /// Rows of the database that would go, by table.
    var rows: [(table: String, rows: Int)] = []
}

/// An act as it was asked for by a form: it can be previewed and carried out.
struct PreparedAct: Sendable {
    /// The result of carrying an act out.
    enum Outcome: Sendable {
        case done
        /// The person has changed since the preview.
        case outdated
        case refused(ActRefusal)
    }

    let preview: @Sendable (Store) async throws -> Result<ActPreview, ActRefusal>
    let carryOut: @Sendable (SignedVisit, LedgerLengths) async throws(Problem) -> Outcome

    init(
        preview: @escaping @Sendable (Store) async throws -> Result<ActPreview, ActRefusal>,
        carryOut: @escaping @Sendable (SignedVisit, LedgerLengths) async throws(Problem) -> Outcome
    ) {
        self.preview = preview
        self.carryOut = carryOut
    }

    /// An act on ledgers, which the store previews and carries out on the very ledgers of the preview.
    init<Reply, Refusal>(
        _ act: LedgerAct<Reply, Refusal>, orElse refusal: @escaping @Sendable (Refusal) -> ActRefusal
    ) {
        preview = { store in
            let previewed = try await store.ledger.preview(act)
            if case .failure(let failure) = previewed.answer { return .failure(refusal(failure)) }
            let context = store.foldContext
            let people = try previewed.users.map { user in
                try Task.checkCancellation()
                return PersonPreview(
                    user: user, before: previewed.before.timeline(of: user, in: context),
                    after: previewed.after.timeline(of: user, in: context))
            }
            return .success(
                ActPreview(
                    people: people, at: previewed.before.now, lengths: previewed.lengths,
                    wouldChange: previewed.wouldChange))
        }
        carryOut = { visit, lengths throws(Problem) in
            switch try await visit.visit.call.record(act.asPreviewed(at: lengths)).answer {
            case .success: return .done
            case .failure(.outdated): return .outdated
            case .failure(.refused(let failure)): return .refused(refusal(failure))
            }
        }
    }
}
