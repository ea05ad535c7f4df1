import Entitlements
import LedgerStore

/// Compensates some users for an outage, each decided under their own lock, or only says what they would get.
///
/// Repeat is safe because there is one grant for each user and reference: a run that ended half-way is run again.
struct CompensationRun: Sendable {
    /// The grants of a part of the run.
    struct Tally {
        var given: [(user: UserID, grant: Grant)] = []
        var alreadyGiven = 0
        var notAffected = 0
    }

    /// The answer about one of the users.
    private struct Answer {
        let position: Int
        let outcome: Result<Compensate.Compensation, Problem>
    }

    /// How many users are decided at once; the write queue makes batches of them.
    private static let atOnce = 32

    let outage: Compensate.Outage
    let note: Note
    let reference: String
    let isDry: Bool
    let call: ServerCall

    /// Compensates `members`, in their order.
    ///
    /// - Throws: Why nobody is compensated, `unavailable`.
    func compensate(_ members: [CoveredUsers.Member]) async throws(Problem) -> Tally {
        var answers = [Result<Compensate.Compensation, Problem>?](repeating: nil, count: members.count)
        await withTaskGroup(of: Answer.self) { group in
            var waiting = members.enumerated().makeIterator()
            for _ in 0..<Self.atOnce { add(waiting.next(), to: &group) }
            while let answer = await group.next() {
                answers[answer.position] = answer.outcome
                if case .success = answer.outcome { add(waiting.next(), to: &group) }
            }
        }
        var tally = Tally()
        for (member, answer) in zip(members, answers) {
            switch try answer?.get() {
            case .given(let grant): tally.given.append((member.user, grant))
            case .alreadyGiven: tally.alreadyGiven += 1
            case .notAffected: tally.notAffected += 1
            case nil: break
            }
        }
        return tally
    }

    private func add(
        _ next: (offset: Int, element: CoveredUsers.Member)?,
        to group: inout TaskGroup<Answer>
    ) {
        guard let (position, member) = next else { return }
        group.addTask {
            Answer(position: position, outcome: await outcome(for: member))
        }
    }

    private func outcome(for member: CoveredUsers.Member) async -> Result<Compensate.Compensation, Problem> {
        do throws(Problem) {
            return .success(try await answer(for: member))
        } catch {
            return .failure(error)
        }
    }

    private func answer(for member: CoveredUsers.Member) async throws(Problem) -> Compensate.Compensation {
        let id = ExternalID(
            try call.labels().label(.reference, "compensation", reference, String(member.pseudonym)).text)
        let (outage, note, user) = (outage, note, member.user)
        guard isDry else {
            let principal = Principal(user: user, actor: call.actor)
            return try await call.recorded(
                for: principal, keys: [Grant.key(id)],
                audit: principal.audit(
                    .giveGrant, reason: note.reason, ["grant_id": id.text, "reference": reference]),
                orElse: { (refusal: CompensationRefusal) in Problem(refusal) }
            ) { history, context in
                Compensate(user, for: outage, as: id, note: note, in: context).decide(given: history)
            }
        }
        let ledger = try await call.ledger(of: user)
        let context = FoldContext(catalogue: call.api.catalogue, settings: call.api.settings)
        let history = PurchaseHistory(now: call.now, ledgers: [user: ledger], purchases: [:], tokenHolders: [:])
        do throws(CompensationRefusal) {
            return try Compensate(user, for: outage, as: id, note: note, in: context).compensation(given: history).get()
        } catch {
            throw Problem(error)
        }
    }
}
