import LedgerStore
import Entitlements
import Testing

@testable import EntitlementAPI

struct RateLimiterTests {
    @Test func aMinutesWorthIsThereAtOnceAndRefillsEvenly() throws {
        let limiter = RateLimiter(RateLimits(attachPerMinute: 6, restorePerMinute: 0, readPerMinute: 1))
        let user = try Fixture.user()
        let start = Fixture.now
        for _ in 0..<6 { #expect(limiter.take(.attach, for: .user(user), at: start) == nil) }
        #expect(limiter.take(.attach, for: .user(user), at: start)?.retryAfterSeconds == 10)
        #expect(limiter.take(.attach, for: .user(user), at: start + 9_999)?.retryAfterSeconds == 1)
        #expect(limiter.take(.attach, for: .user(user), at: start + 10_000) == nil)
        #expect(limiter.take(.attach, for: .user(user), at: start + 10_000)?.limit == 6)
        #expect(limiter.take(.attach, for: .user(try Fixture.user("u2")), at: start) == nil)
        #expect(limiter.take(.read, for: .user(user), at: start) == nil)
        #expect(limiter.take(.read, for: .user(user), at: start)?.retryAfterSeconds == 60)
        #expect(limiter.take(.open, for: .network([1]), at: start) == nil)
        #expect(limiter.take(.open, for: .network([1]), at: start)?.limit == 1)
        #expect(limiter.take(.open, for: .network([2]), at: start) == nil)
        for _ in 0..<1000 { #expect(limiter.take(.restore, for: .user(user), at: start) == nil) }
    }

    @Test func aClockThatGoesBackRefillsNothing() throws {
        let limiter = RateLimiter(RateLimits(attachPerMinute: 1))
        let user = try Fixture.user()
        #expect(limiter.take(.attach, for: .user(user), at: Fixture.now) == nil)
        #expect(limiter.take(.attach, for: .user(user), at: Fixture.now + -3_600_000) != nil)
        #expect(limiter.take(.attach, for: .user(user), at: Fixture.now + -3_500_000) == nil)
    }
}

struct BoundedCacheTests {
    @Test func itNeverHoldsMoreThanItsCapacityAndKeepsWhatIsUsed() {
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

    @Test func `what is held never weighs more than the capacity, and what is too heavy by itself is not kept`() {
        var cache = BoundedCache<Int, Int>(capacity: 100) { $0 }
        var generator = SystemRandomNumberGenerator()
        for number in 0..<10_000 {
            let weight = Int.random(in: 1...60, using: &generator)
            cache[number % 20] = weight
            #expect(cache[number % 20] == (weight <= 50 ? weight : nil))
            #expect((0..<20).reduce(0) { sum, key in sum + (cache.peek(key) ?? 0) } <= 100)
        }
    }
}

extension BoundedCache where Key == Int, Value == Int {
    /// What is held, without using it.
    fileprivate func peek(_ key: Int) -> Int? {
        var copy = self
        return copy[key]
    }
}
