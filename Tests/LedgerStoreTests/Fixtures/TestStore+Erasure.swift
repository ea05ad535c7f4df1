import Entitlements
import MariaDB
import Support
import Testing

@testable import LedgerStore

/// What the tests of erasures ask of the tables afterwards.
extension TestStore {
    /// Erases somebody and gives what is left of them. Throws when they are not there, or the database is away.
    @discardableResult
    func erase(_ user: UserID, via instance: Int = 0) async throws -> UserID {
        let erased = try await TestOperators(self, instance: instance).erasure(at: clock.now)
            .erase(user, by: .commandLine, reason: "asked")
        return try #require(erased)
    }

    /// Every row of every table. Throws when the database is away.
    func dumps() async throws -> [String: [[Value]]] {
        var dumps: [String: [[Value]]] = [:]
        for table in TestSchema.tables { dumps[table] = try await schema.dump(table) }
        return dumps
    }

    /// Every cell of every table but `tables`, bytes as ``digits(of:)`` and as text. A digest's 32 bytes are no text:
    /// a few of them spell a short name by chance. Throws when the database is away.
    func everything(but tables: Set<String> = []) async throws -> String {
        var text = ""
        for (table, rows) in try await dumps().sorted(by: { $0.key < $1.key }) where !tables.contains(table) {
            text += "\n\(table):"
            for cell in rows.lazy.flatMap(\.self) {
                if case .bytes(let bytes) = cell {
                    text += " \(Self.digits(of: bytes))"
                    if bytes.count != 32 { text += " \(String(decoding: bytes, as: UTF8.self))" }
                } else {
                    text += " \(cell)"
                }
            }
        }
        return text
    }

    /// Hexadecimal digits in pairs, such as `0a:ff`, in which no number or name is found by chance.
    static func digits(of bytes: some Sequence<UInt8>) -> String {
        bytes.map { Hexadecimal.text([$0]) }.joined(separator: ":")
    }

    /// Finds none of `traces` in any table. Throws when the database is away.
    func expectNothing(of traces: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let text = try await everything()
        for trace in traces { #expect(!text.contains(trace), "\(trace)", sourceLocation: sourceLocation) }
    }

    /// Chains, states, trail and projections are whole. Throws when the database is away.
    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let check = try await IntegrityCheck(of: pool) { _ in }
        #expect(check.namedFaults == [], sourceLocation: sourceLocation)
        let projection = try await schema.dump("subscriptions")
        try await Projection(pool: pool, settings: Sample.settings, format: Sample.format).rebuild(
            given: instances[0].versionCache.snapshot, at: clock.now)
        let rebuilt = try await schema.dump("subscriptions")
        #expect(rebuilt == projection, sourceLocation: sourceLocation)
    }

    /// What `user` has, as the tables have it. Throws when the database is away.
    func status(of user: UserID) async throws -> Status {
        Timeline(
            folding: try await ledger(of: user), given: instances[0].versionCache.snapshot, settings: Sample.settings
        )
        .status(at: clock.now)
    }
}
