import Entitlements
import Glibc
import Testing

/// Random histories of everything at once, held against `QuarterByQuarter`.
@Suite struct WholeWalkTests {
    /// `GATEPASS_WALKS` histories, 500 unless it says so.
    private static let count = number("GATEPASS_WALKS") ?? 500
    /// The seed of the first, `GATEPASS_WALK_SEED` or 0; each has the next one.
    private static let first = number("GATEPASS_WALK_SEED") ?? 0
    private static let operations = 50

    private static func number(_ variable: String) -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }

    @Test func `whatever happens to a few users, every answer is that of the rules taken literally`() async {
        let reports = await withTaskGroup(of: [String].self) { group in
            for part in 0..<UInt64(4) {
                group.addTask {
                    stride(from: Self.first + part, to: Self.first + Self.count, by: 4).compactMap { seed in
                        let walk = WholeWalk.history(seed: seed, of: Self.operations)
                        return walk.divergence == nil ? nil : walk.report
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(reports.isEmpty, "\(reports.count) of \(Self.count) histories; \(reports.first ?? "")")
    }

    /// Each kind of fact, as `Fact.kindText` has it.
    private static let kinds: Set = [
        "state", "bound", "granted", "withdrawn", "gave_away", "received", "credit", "device", "sandbox_tester",
    ]

    @Test func `a ledger that lacks a fact is noticed, whatever kind of fact it is`() {
        var noticed: Set<String> = []
        for seed in UInt64(0)..<500 where noticed != Self.kinds {
            var walk = WholeWalk.history(seed: seed, of: Self.operations)
            for user in walk.users + walk.erased {
                let entries = walk.world.ledger(of: user).entries
                for (index, entry) in entries.enumerated() where !noticed.contains(entry.fact.kindText) {
                    let rest = entries.enumerated().filter { $0.offset != index }.map(\.element)
                    if walk.notices(UserLedger(user: user, entries: rest)) { noticed.insert(entry.fact.kindText) }
                }
            }
        }
        #expect(noticed == Self.kinds)
    }

    @Test func `a share that is not the one signed is noticed`() {
        var noticed = 0
        for seed in UInt64(0)..<20 {
            var walk = WholeWalk.history(seed: seed, of: Self.operations)
            for user in walk.users {
                let entries = walk.world.ledger(of: user).entries
                for (index, entry) in entries.enumerated() {
                    guard let state = entry.fact.state, let revocation = state.revocation else { continue }
                    let other = Revocation(
                        revokedAt: revocation.revokedAt, share: revocation.share == 50000 ? 100_000 : 50000)
                    var falsified = Array(entries)
                    falsified[index] = LedgerEntry(
                        effectiveAt: entry.effectiveAt, recordedAt: entry.recordedAt,
                        fact: .stated(.purchase(state.with(revocation: other, signedAt: state.signedAt))))
                    if walk.notices(UserLedger(user: user, entries: falsified)) { noticed += 1 }
                }
            }
        }
        #expect(noticed > 5)
    }

    @Test func `the walk comes by everything that it is about`() {
        let words = [
            "unowned", "transferred", "alreadyTheirs", "owned_by_another_user", "duplicate", "idempotency_key_reused",
            "in_debt",
            "insufficient_credits", "already_committed", "already_released", "reservation_ended",
            "exceeds_reservation", "same_user", "unknown_guest", "unknown_purchase", "unknown_grant", "active, pro",
            "active, basic",
            "active, eyes", "grace, ", "expired, free", "none, free", "suspended by limit", "suspended by user",
            "addon.pro suspended", "addon.xyz revoked", "sandbox", "−", " refunded", " expired", " reserved",
            " written off",
            " is erased as ",
        ]
        var missing = Set(words)
        for seed in UInt64(0)..<500 where !missing.isEmpty {
            let walk = WholeWalk.history(seed: seed, of: Self.operations)
            let said = walk.trail + walk.answers
            missing = missing.filter { word in !said.contains { $0.contains(word) } }
        }
        #expect(missing == [])
    }
}
