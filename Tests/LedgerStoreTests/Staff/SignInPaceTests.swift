import Entitlements
import LedgerStore
import Testing

/// The pauses between tries to sign in, as a table.
@Suite struct SignInPaceTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)
    private static let second: Int64 = 1_000
    private static let day = Instant.millisecondsPerDay

    /// The wait in milliseconds, after failures here and elsewhere that were so many milliseconds ago, the last first.
    private static func wait(failures: [Int64], success: Int64? = nil, anywhere: [Int64]? = nil) -> Int64 {
        var here = failures.map { SignInPace.Try(at: now + -$0, succeeded: false) }
        if let success { here.append(SignInPace.Try(at: now + -success, succeeded: true)) }
        let at = SignInPace.allowedAt(
            here: here, anywhere: (anywhere ?? failures).map { now + -$0 }, now: now)
        return at.map { $0 - now } ?? 0
    }

    @Test func `five failures from one network are free, and each further one doubles the pause up to 15 minutes`() {
        #expect(Self.wait(failures: []) == 0)
        #expect(Self.wait(failures: Array(repeating: 0, count: 4)) == 0)
        for (count, seconds) in [(5, 1), (6, 2), (7, 4), (8, 8), (14, 512), (15, 900), (31, 900)] as [(Int, Int64)] {
            let failures = [Int64](repeating: 0, count: count)
            #expect(Self.wait(failures: failures, anywhere: []) == seconds * Self.second, "\(count)")
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
        #expect(Self.wait(failures: Array(repeating: 0, count: 5), success: 1, anywhere: []) == Self.second)
        #expect(Self.wait(failures: Array(repeating: 30 * Self.day, count: 9), anywhere: []) == 0)
        #expect(Self.wait(failures: Array(repeating: 30 * Self.day - 1, count: 5) + [0], anywhere: []) == 0)
    }

    @Test func `failures elsewhere slow a network that is not known, and never one that signed in before`() {
        let many = [Int64](repeating: 1_000, count: SignInPace.freeAnywhere)
        #expect(Self.wait(failures: [], anywhere: Array(many.dropLast())) == 0)
        #expect(Self.wait(failures: [], anywhere: many) == 4 * Self.second)
        #expect(Self.wait(failures: [], success: 20 * Self.day, anywhere: many) == 0)
        #expect(Self.wait(failures: [], success: 30 * Self.day, anywhere: many) == 4 * Self.second)
        #expect(Self.wait(failures: [], anywhere: many.map { $0 + 3_600_000 }) == 0)
        #expect(Self.wait(failures: [], anywhere: Array(repeating: 0, count: 32)) == 5 * Self.second)
    }
}
