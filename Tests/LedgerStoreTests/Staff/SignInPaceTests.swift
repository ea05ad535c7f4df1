import Entitlements
import LedgerStore
import Testing

/// The pauses between tries to sign in, as a table.
@Suite struct SignInPaceTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)
    private static let second: Int64 = 1_000
    private static let day = Instant.millisecondsPerDay

    /// The tries from one network: failures that were so many milliseconds ago, the last first, after a success.
    private static func tries(_ failures: [Int64], _ success: Int64?) -> [SignInPace.Try] {
        failures.map { SignInPace.Try(at: now + -$0, succeeded: false) }
            + (success.map { [SignInPace.Try(at: now + -$0, succeeded: true)] } ?? [])
    }

    /// The milliseconds until a try is let through.
    private static func wait(failures: [Int64], success: Int64? = nil) -> Int64 {
        SignInPace.allowedAt(here: tries(failures, success), now: now).map { $0 - now } ?? 0
    }

    /// The milliseconds for which a try is held.
    private static func pause(isKnown: Bool = false, anywhere: [Int64]) -> Int64 {
        SignInPace.pause(isKnown: isKnown, anywhere: anywhere.map { now + -$0 }, now: now)
    }

    @Test func `five failures from one network are free, and each further one doubles the pause up to 15 minutes`() {
        #expect(Self.wait(failures: []) == 0)
        #expect(Self.wait(failures: Array(repeating: 0, count: 4)) == 0)
        for (count, seconds) in [(5, 1), (6, 2), (7, 4), (8, 8), (14, 512), (15, 900), (31, 900)] as [(Int, Int64)] {
            let failures = [Int64](repeating: 0, count: count)
            #expect(Self.wait(failures: failures) == seconds * Self.second, "\(count)")
        }
    }

    @Test func `a pause runs from the last failure, and is over at its end`() {
        let earlier = [Int64](repeating: 60_000, count: 5)
        #expect(Self.wait(failures: [500] + earlier) == 1_500)
        #expect(Self.wait(failures: [1_999] + earlier) == 1)
        #expect(Self.wait(failures: [2_000] + earlier) == 0)
    }

    @Test func `failures before a success, and those of a month ago, cost nothing`() {
        #expect(Self.wait(failures: Array(repeating: 0, count: 4), success: 1) == 0)
        #expect(Self.wait(failures: Array(repeating: 0, count: 5), success: 1) == Self.second)
        #expect(Self.wait(failures: Array(repeating: 30 * Self.day, count: 9)) == 0)
        #expect(Self.wait(failures: Array(repeating: 30 * Self.day - 1, count: 5) + [0]) == 0)
    }

    @Test func `failures elsewhere hold a try from a network that is not known, and never one that signed in before`() {
        let many = [Int64](repeating: 1_000, count: SignInPace.freeAnywhere)
        #expect(Self.pause(anywhere: Array(many.dropLast())) == 0)
        #expect(Self.pause(anywhere: many) == 5 * Self.second)
        #expect(Self.pause(isKnown: true, anywhere: many) == 0)
        #expect(Self.pause(anywhere: many.map { $0 + 3_600_000 }) == 0)
        #expect(Self.pause(anywhere: Array(repeating: 0, count: 32)) == 5 * Self.second)
    }
}
