import Entitlements
import StoreSimulator
import Testing

/// What a simulated plan and the simulated store do by themselves.
@Suite struct SimulatedTurnTests {
    private static let start: Int64 = 1_768_478_400_000
    private static let day = SimulatedStory.day

    private static func begun() -> SimulatedSubscription {
        let order = SimulatedSubscription.Order("annual.3", as: "1", until: start + 30 * day)
        return SimulatedSubscription.begin(order, by: SimulatedStory.buyer(), at: start).subscription
    }

    private func check(
        _ subscription: SimulatedSubscription, turns turn: SimulatedSubscription.Turn?, onDay: Int64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let next = subscription.nextTurn
        #expect(next?.turn == turn, sourceLocation: sourceLocation)
        #expect(next.map { ($0.at - Self.start) / Self.day } ?? 0 == onDay, sourceLocation: sourceLocation)
    }

    @Test func `a plan renews at its end, unless it was cancelled, refunded or awaits consent`() throws {
        var plan = Self.begun()
        check(plan, turns: .renew, onDay: 30)
        _ = try plan.cancel(at: Self.start + Self.day)
        check(plan, turns: .expire, onDay: 30)
        _ = try plan.enable(at: Self.start + 2 * Self.day)
        _ = try plan.increasePrice(to: 5990, isAccepted: false, at: Self.start + 3 * Self.day)
        check(plan, turns: .expire, onDay: 30)
        _ = try plan.increasePrice(isAccepted: true, at: Self.start + 4 * Self.day)
        check(plan, turns: .renew, onDay: 30)
        _ = try plan.refund(at: Self.start + 5 * Self.day)
        check(plan, turns: .expire, onDay: 30)
        _ = try plan.expire(at: Self.start + 30 * Self.day)
        check(plan, turns: nil)
    }

    @Test func `billing is tried for sixty days, and grace ends when it was to`() throws {
        var plan = Self.begun()
        _ = try plan.failBilling(graceUntil: Self.start + 36 * Self.day, at: Self.start + 30 * Self.day)
        check(plan, turns: .endGrace, onDay: 36)
        _ = try plan.endGrace(at: Self.start + 36 * Self.day)
        check(plan, turns: .expire, onDay: 90)
        _ = try plan.recover(as: "2", until: Self.start + 70 * Self.day, at: Self.start + 40 * Self.day)
        check(plan, turns: .renew, onDay: 70)
    }

    @Test func `a notification of Production is tried six times, one of the Sandbox once`() {
        var (instants, attempts) = ([Self.start], 0)
        while let last = instants.last {
            attempts += 1
            guard let next = NotificationSchedule.nextAttempt(after: attempts, at: last, in: .production) else { break }
            instants.append(next)
        }
        #expect(instants.map { ($0 - Self.start) / Instant.millisecondsPerHour } == [0, 1, 13, 37, 85, 157])
        #expect(NotificationSchedule.nextAttempt(after: 1, at: Self.start, in: .sandbox) == nil)
    }
}
