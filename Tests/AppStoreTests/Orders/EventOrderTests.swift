import AppStore
import Entitlements
import Support
import Testing

/// What Apple tells comes to one answer in every order, and that is what the document says of the texts alone
/// (`semantics.md` §1; `threats.md` I6).
@Suite struct EventOrderTests {
    /// What the product tells of a customer.
    private static func answer(of timeline: Timeline, at instants: [Int64]) -> ReadAnswer {
        ReadAnswer(
            pieces: timeline.planned.map(\.segment).map { segment in
                ReadAnswer.Piece(
                    id: segment.key.externalID.text, tier: segment.tier.text, from: segment.startsAt.milliseconds,
                    until: segment.endsAt.milliseconds)
            }, moments: instants.map { moment(of: timeline.status(at: Instant(milliseconds: $0))) })
    }

    private static func moment(of status: Status) -> ReadAnswer.Moment {
        let plan = status.entitlements.first { $0.plan != nil }
        return ReadAnswer.Moment(
            at: status.at.milliseconds, isActive: status.active, tier: status.tier?.text,
            state: status.state.rawValue, expiresAt: status.expiresAt?.milliseconds,
            accessExpiresAt: status.accessExpiresAt?.milliseconds,
            plan: plan.map { entitlement in
                ReadAnswer.Plan(
                    product: entitlement.productID?.text ?? "", state: entitlement.state.rawValue,
                    willRenew: entitlement.willRenew ?? false, renewsAs: entitlement.plan?.renewsAs?.text,
                    graceEndsAt: entitlement.plan?.graceEndsAt?.milliseconds,
                    isInRetry: entitlement.plan?.isInBillingRetry ?? false,
                    reason: entitlement.plan?.expirationReason?.rawValue,
                    consent: entitlement.plan?.priceConsent?.rawValue)
            })
    }

    private static func books() throws -> Books {
        Books(of: try #require(UserID("anna")), at: Instant(milliseconds: EventSet.now))
    }

    @Test(arguments: EventSet.all)
    func `every order of a story, with one event twice, comes to what the document says of its texts`(
        _ set: EventSet
    ) async throws {
        let told = try await ToldEvents(set)
        let count = set.events.count
        #expect(count == 6 && told.statements == told.repeated)
        let reading = try DocumentReading(told.texts)
        // Every order goes one of the ways, and is asked at a quarter of the instants; a soak goes all of them.
        let quarters = (0..<4).map { quarter in
            told.probes.enumerated().filter { TestRun.isSoak || $0.offset % 4 == quarter }.map(\.element)
        }
        let probes = quarters.map { (instants: $0, document: reading.answer(at: $0)) }
        let ways: [Books.Way] = set.isShared ? [.attachedLast, .attachedFirst] : [.token, .attachedFirst]
        for (number, order) in permutations(of: count).enumerated() {
            for way in TestRun.isSoak ? ways : [ways[number / count % ways.count]] {
                var arriving = order.map { told.statements[$0] }
                arriving.insert(told.repeated[number % count], at: number / count % (count + 1))
                var books = try Self.books()
                for statements in arriving { books.take(statements, by: way) }
                if way == .attachedLast { for state in arriving.joined().compactMap(\.state) { books.attach(state) } }
                let probes = probes[TestRun.isSoak ? 0 : number / ways.count % probes.count]
                let difference = Self.answer(of: books.timeline, at: probes.instants).difference(from: probes.document)
                try #require(difference == nil, "\(order) \(way): \(difference ?? "")")
            }
        }
    }

    /// The same with what arrived last in the place of what was signed last: a table with a row for each transaction
    /// and renewal, which is overwritten.
    @Test(arguments: EventSet.all) func `a reading by arrival is found out`(_ set: EventSet) async throws {
        let told = try await ToldEvents(set)
        let document = try DocumentReading(told.texts).answer(at: told.probes)
        var answers: Set<ReadAnswer> = []
        for (number, order) in permutations(of: set.events.count).enumerated() where number % 7 == 0 {
            var newest: [String: Statement] = [:]
            for statement in order.flatMap({ told.statements[$0] }) {
                newest[statement.state?.transactionID.text ?? "renewal"] = statement
            }
            var books = try Self.books()
            for state in newest.values.compactMap(\.state) { books.attach(state) }
            if let renewal = newest["renewal"] { books.take([renewal], by: .attachedLast) }
            answers.insert(Self.answer(of: books.timeline, at: told.probes))
        }
        #expect(answers.count > 1 && answers.contains { $0 != document })
    }
}
