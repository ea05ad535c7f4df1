package import Entitlements
package import LedgerStore

/// Grants for all users who had coverage during an outage, each in a transaction of their own.
///
/// A run that broke off can be repeated, because each user gets at most one grant for each reference.
package struct Compensation: Sendable {
    /// The most users that one step goes over.
    package static let maximumUsers = 1_000
    /// The longest grace of a plan in milliseconds. A plan that ended this long before an outage may still cover its
    /// start.
    private static let longestGrace = 90 * Instant.millisecondsPerDay
    /// The number of users handled at the same time. The batch queue writes them in shared transactions.
    private static let atOnce = 32

    /// A user and the grant for them; the grant is nil if the outage took nothing from the user.
    package typealias Outcome = (user: UserID, told: Told<Grant>?)

    /// The outcomes of one step.
    package struct Step: Sendable {
        package let outcomes: [Outcome]
        /// The place where the next step begins; nil after the last one.
        package let next: CoveragePlace?

        package var given: [Outcome] { outcomes.filter { $0.told?.isRepeat == false } }
    }

    /// How many users got a grant, had it before, and were not affected.
    package struct Counts: Sendable {
        package private(set) var given = 0
        package private(set) var alreadyGiven = 0
        package private(set) var notAffected = 0

        package init() {}

        package init(of step: Step) { add(step) }

        package mutating func add(_ step: Step) {
            given += step.given.count
            alreadyGiven += step.outcomes.count { $0.told?.isRepeat == true }
            notAffected += step.outcomes.count { $0.told == nil }
        }
    }

    package let outage: OperatorAct.Outage
    let reason: String
    package let reference: String
    let actor: Actor
    /// True if grants are only computed.
    package let isDry: Bool

    package init(
        for outage: OperatorAct.Outage, reason: String, reference: String, by actor: Actor, isDry: Bool
    ) {
        self.outage = outage
        self.reason = reason
        self.reference = reference
        self.actor = actor
        self.isDry = isDry
    }

    /// Compensates up to `limit` users from `place` on, or from the first one who may be affected. The failure is the
    /// first refusal other than `notAffected`.
    package func step(
        from place: CoveragePlace?, limit: Int, in store: Store, at now: Instant
    ) async throws(ServiceFailure) -> Result<Step, OperatorRefusal> {
        let catalogue = store.catalogue.snapshot
        if let refusal = OperatorAct.Offer.outage(outage).refusal(at: now, given: catalogue) {
            return .failure(refusal)
        }
        let covered = try await store.reports.covered(
            after: place ?? CoveragePlace(after: firstEnd), before: min(outage.endsAt, now), limit: limit)
        var outcomes: [Outcome] = []
        // Previews share no transaction, so two at once would only take two cores.
        let atOnce = isDry ? 1 : Self.atOnce
        for start in stride(from: 0, to: covered.users.count, by: atOnce) {
            let some = covered.users[start..<min(start + atOnce, covered.users.count)]
            let answers = await withTaskGroup(of: (UserID, Answer).self) { group in
                for user in some {
                    group.addTask {
                        let answer = await answer(for: user, in: store)
                        return (user.user, answer)
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for user in some.map(\.user) {
                switch try answers[user]?.get() {
                case .success(let told): outcomes.append((user, told))
                case .failure(.notAffected), nil: outcomes.append((user, nil))
                case .failure(let refusal): return .failure(refusal)
                }
            }
        }
        return .success(Step(outcomes: outcomes, next: covered.next))
    }

    private typealias Answer = Result<Result<Told<Grant>, OperatorRefusal>, ServiceFailure>

    private func answer(for user: CoveredUser, in store: Store) async -> Answer {
        let id = ExternalID(store.labels.label(.reference, "compensation", reference, String(user.pseudonym)).text)
        let act = Principal(user: user.user, actor: actor)
            .give(.outage(outage), as: id, reason: reason, reference: reference)
        do throws(ServiceFailure) {
            let answer = isDry ? try await store.ledger.preview(act).answer : try await store.ledger.record(act).answer
            return .success(answer)
        } catch {
            return .failure(error)
        }
    }

    /// The earliest end of coverage that an affected user can have: the beginning of the outage. If plans are
    /// compensated too, it is earlier by the longest grace, because grace covers a plan after its end.
    private var firstEnd: Instant {
        outage.countsAnySource ? outage.startsAt + -Self.longestGrace : outage.startsAt
    }
}
