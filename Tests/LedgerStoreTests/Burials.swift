import Entitlements
import Support
import Testing

@testable import LedgerStore

/// What the tests of erasures ask of the tables afterwards.
extension Shop {
    /// Erases somebody and gives what is left of them. Throws when they are not there, or the database is away.
    @discardableResult
    func erase(_ user: UserID, via instance: Int = 0) async throws -> UserID {
        let erased = try await Desk(self, instance: instance).erasure(at: clock.now)
            .erase(user, by: .commandLine, reason: "asked")
        return try #require(erased)
    }

    /// Every cell of every table. Throws when the database is away.
    func everything() async throws -> String {
        var text = ""
        for table in TestSchema.tables { text += "\(table): \(try await schema.dump(table))\n" }
        return text
    }

    /// Finds none of `traces` in any table, nor the digests of `states`. Throws when the database is away.
    func expectNothing(
        of traces: [String], nor states: [VerifiedPurchase] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let text = try await everything()
        for trace in traces + states.map({ "\(ContentDigest.bytes(of: $0))" }) {
            #expect(!text.contains(trace), "\(trace)", sourceLocation: sourceLocation)
        }
    }

    /// Chains, trail and projection are whole. Throws when the database is away.
    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let faults = try await LedgerAudit(pool: pool).faults()
        #expect(faults == [], sourceLocation: sourceLocation)
        let defects = try await Desk(self).defects()
        #expect(defects == [], sourceLocation: sourceLocation)
        let projection = try await schema.dump("subscriptions")
        try await Projection(pool: pool, settings: Books.settings).rebuild(given: instances[0].shelf.snapshot)
        let rebuilt = try await schema.dump("subscriptions")
        #expect(rebuilt == projection, sourceLocation: sourceLocation)
    }

    /// What `user` has, as the tables have it. Throws when the database is away.
    func status(of user: UserID) async throws -> Status {
        Timeline(folding: try await ledger(of: user), given: instances[0].shelf.snapshot, settings: Books.settings)
            .status(at: clock.now)
    }
}
