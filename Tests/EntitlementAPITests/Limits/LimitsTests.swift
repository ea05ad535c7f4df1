import LedgerStore
import Entitlements
import Testing

@testable import EntitlementAPI

struct RateLimiterTests {
    @Test func `a minute's worth is there at once and refills evenly`() throws {
        let limiter = RateLimiter(RateLimits(attachPerMinute: 6, restorePerMinute: 0, readPerMinute: 1))
        let (user, other, start) = (try Fixture.user(), try Fixture.user("u2"), Fixture.now)
        func take(
            _ kind: RateLimits.Kind = .attach, for asker: RateLimiter.Asker? = nil, after milliseconds: Int64 = 0
        ) -> RateQuota? {
            limiter.take(kind, for: asker ?? .user(user), at: start + milliseconds)
        }
        for number in 0..<6 {
            let quota = try #require(take())
            #expect(!quota.isExceeded && quota.remaining == 5 - number && quota.resetSeconds == 10)
        }
        let exceeded = try #require(take())
        #expect(exceeded.isExceeded && exceeded.remaining == 0 && exceeded.resetSeconds == 10 && exceeded.limit == 6)
        #expect(take(after: 9_999)?.isExceeded == true)
        #expect(take(after: 9_999)?.resetSeconds == 1)
        #expect(take(after: 10_000)?.isExceeded == false)
        #expect(take(after: 10_000)?.isExceeded == true)
        #expect(take(after: 35_000)?.remaining == 1, "25 seconds are two requests and a half")
        #expect(take(after: 35_000)?.resetSeconds == 5)
        #expect(take(for: .user(other))?.isExceeded == false)
        #expect(take(.read)?.isExceeded == false)
        #expect(take(.read)?.resetSeconds == 60)
        #expect(take(.open, for: .network([1], path: "/"))?.isExceeded == false)
        #expect(take(.open, for: .network([1], path: "/"))?.isExceeded == true)
        #expect(take(.open, for: .network([2], path: "/"))?.isExceeded == false)
        for _ in 0..<1000 { #expect(limiter.take(.restore, for: .user(user), at: start) == nil) }
    }

    @Test func `passwords have a limit of their own, by wide networks`() {
        #expect(RateLimits(readPerMinute: 0)[.password] == 30 && RateLimits(readPerMinute: 5)[.password] == 30)
        for (network, wide) in [
            ([192, 0, 2, 7], [192, 0, 2]), ([0x20, 1, 0xd, 0xb8, 0, 1, 0xab, 0xcd], [0x20, 1, 0xd, 0xb8, 0, 1]),
            ([], []),
        ] as [([UInt8], [UInt8])] {
            #expect(OpenCall.signInNetwork(of: network) == wide)
        }
    }

    @Test func `a clock that goes back refills nothing`() throws {
        let limiter = RateLimiter(RateLimits(attachPerMinute: 1))
        let user = try Fixture.user()
        for (milliseconds, isExceeded) in [(0, false), (-3_600_000, true), (-3_500_000, false)] as [(Int64, Bool)] {
            let quota = limiter.take(.attach, for: .user(user), at: Fixture.now + milliseconds)
            #expect(quota?.isExceeded == isExceeded)
        }
    }
}

struct BoundedCacheTests {
    @Test func `it never holds more than its capacity and keeps what is used`() {
        var cache = BoundedCache<Int, Int>(capacity: 100)
        for number in 0..<10_000 {
            cache[number] = number
            #expect(cache[0] == 0)
            #expect(cache.count <= 100)
        }
        #expect(cache[9_999] == 9_999)
        #expect(cache[5_000] == nil)
        cache[0] = nil
        #expect(cache[0] == nil)
        cache.removeAll()
        #expect(cache.count == 0)
    }

    @Test func `what is held weighs no more than the capacity, or than two that are too heavy by themselves`() {
        var cache = BoundedCache<Int, Int>(capacity: 100) { $0 }
        var generator = SystemRandomNumberGenerator()
        var misses = 0
        for number in 0..<10_000 {
            let weight = Int.random(in: 1...60, using: &generator)
            cache[number % 20] = weight
            #expect(cache[number % 20] == weight)
            let held = (0..<20).compactMap { cache.peek($0) }
            #expect(held.reduce(0, +) <= max(100, 50 + (held.max() ?? 0), held.filter { $0 > 50 }.reduce(0, +)))
            if held.count < 20 { misses += 1 }
        }
        #expect(misses > 0)
        cache[7] = 1_000
        #expect(cache[7] == 1_000, "one that is too heavy for the cache is kept all the same")
        for key in 100..<110 { cache[key] = 50 }
        #expect(cache[7] == nil)
    }
}

extension BoundedCache where Key == Int, Value == Int {
    /// What is held, without using it.
    fileprivate func peek(_ key: Int) -> Int? {
        var copy = self
        return copy[key]
    }
}
