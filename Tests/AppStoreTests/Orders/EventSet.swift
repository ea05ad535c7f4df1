import AppStore
import Entitlements
import StoreSimulator
import Support
import Testing

/// What Apple signs of one customer: up to six notifications, in the order in which it signs them.
struct EventSet: Sendable, CustomTestStringConvertible {
    /// What one notification has inside.
    struct Event: Sendable {
        var transaction: SimulatedTransaction
        var renewal: SimulatedRenewalInfo?

        var signedAt: Int64 { transaction.signedDate }

        /// The same, signed at another instant.
        func signed(at instant: Int64) -> Event {
            var event = self
            event.transaction.signedDate = instant
            event.renewal?.signedDate = instant
            return event
        }
    }

    /// Which of the events are signed at one instant.
    enum Dating: String, Sendable, CaseIterable {
        case apart
        case inPairs
        case together
    }

    let name: String
    let events: [Event]
    let dating: Dating

    var testDescription: String { "\(name), signed \(dating.rawValue)" }

    /// A family member's copies carry no account token, so only the app can bring them to a user.
    var isShared: Bool { events.contains { $0.transaction.inAppOwnershipType == .familyShared } }

    /// 2026-01-01T00:00:00Z, day 0 of all sets.
    static let start: Int64 = 1_767_225_600_000
    /// When everything arrives.
    static let now = day(400)
    static let token = "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6"

    static func day(_ number: Int64) -> Int64 { start + number * 86_400_000 }

    /// Every set, signed apart, in pairs and all at once.
    static let all = Dating.allCases.flatMap { dating in
        stories.map { EventSet(name: $0.name, events: dated($0.events, dating), dating: dating) }
    }

    private static func dated(_ events: [Event], _ dating: Dating) -> [Event] {
        let inOrder = events.sorted { $0.signedAt < $1.signedAt }
        return inOrder.enumerated().map { place, event in
            switch dating {
            case .apart: event
            case .inPairs: event.signed(at: inOrder[min(place | 1, inOrder.count - 1)].signedAt)
            case .together: event.signed(at: inOrder[inOrder.count - 1].signedAt)
            }
        }
    }

    // MARK: The stories

    private static var stories: [(name: String, events: [Event])] {
        [
            ("a pass and its copy, refunded", refund), ("one of three passes, refunded and reversed", reversal),
            ("a pass, refunded again and again", refunds), ("renewals", renewals), ("an upgrade", upgrade),
            ("grace and recovery", recovery), ("given up and come back", comeback), ("a family's plan", family),
            ("a price to consent to", consent), ("periods, refunded and reversed", periods),
            ("a period, extended", extended), ("grace that runs", grace),
        ]
    }

    private static var refund: [Event] {
        let bought = pass("1", at: 0)
        var copy = bought.signed(at: day(3))
        copy.transactionId = "2"
        copy.purchaseDate = day(3)
        return events([
            bought, copy, bought.signed(at: day(4)), bought.refunded(at: day(5), percentage: 50_000),
            bought.refunded(at: day(12)), copy.refunded(at: day(13)),
        ])
    }

    private static var reversal: [Event] {
        let middle = pass("2", at: 9)
        return events([
            pass("1", at: 0), middle, pass("3", at: 19), middle.signed(at: day(20)), middle.refunded(at: day(35)),
            middle.reversed(at: day(50)),
        ])
    }

    private static var refunds: [Event] {
        let bought = pass("1", at: 0)
        return events([
            bought, pass("2", of: "basic.30", at: 5), bought.refunded(at: day(9)).signed(at: day(10)),
            bought.refunded(at: day(9), percentage: 50_000).signed(at: day(19)), bought.signed(at: day(24)),
            bought.refunded(at: day(17)).signed(at: day(27)),
        ])
    }

    private static var renewals: [Event] {
        let first = plan("annual.3", 0..<30)
        let second = first.renewed(as: "12", until: day(60))
        var third = second.renewed(as: "13", until: day(90))
        third.productId = "monthly.1"
        return [
            event(first), event(second), event(second.signed(at: day(33))) { $0.autoRenewStatus = .off },
            event(second.signed(at: day(35))) { $0.autoRenewProductId = "monthly.1" }, event(third),
            event(third.signed(at: day(62))) { $0.autoRenewStatus = .off },
        ]
    }

    private static var upgrade: [Event] {
        let first = plan("monthly.1", 0..<30)
        var second = first.renewed(as: "12", until: day(369)).signed(at: day(4))
        second.productId = "annual.3"
        second.purchaseDate = day(4)
        var ended = first.signed(at: day(4) + 1)
        ended.isUpgraded = true
        return [
            event(first), event(second), event(ended) { $0.autoRenewProductId = "annual.3" },
            event(second.refunded(at: day(20))), event(second.reversed(at: day(25))),
            event(second.signed(at: day(26))) { $0.autoRenewStatus = .off },
        ]
    }

    private static var recovery: [Event] {
        let first = plan("annual.3", 0..<30)
        var second = first.renewed(as: "12", until: day(80)).signed(at: day(50))
        second.purchaseDate = day(50)
        return [
            event(first), failed(first, signedAt: day(30) + 1000, graceUntil: day(46)),
            failed(first, signedAt: day(46), graceUntil: nil), event(second),
            event(second.signed(at: day(55))) { $0.autoRenewStatus = .off },
            ended(second, at: day(80), as: .customerCancelled),
        ]
    }

    private static var grace: [Event] {
        let first = plan("annual.3", 0..<30)
        let second = first.renewed(as: "12", until: day(60))
        return [
            event(first), failed(first, signedAt: day(30) + 1, graceUntil: day(36)), event(second),
            event(second.signed(at: day(40))) { $0.autoRenewStatus = .off }, event(second.signed(at: day(50))),
            failed(second, signedAt: day(60) + 1000, graceUntil: day(76)),
        ]
    }

    private static var comeback: [Event] {
        let first = plan("annual.3", 0..<30)
        var second = first.renewed(as: "12", until: day(130)).signed(at: day(100))
        second.productId = "monthly.1"
        second.purchaseDate = day(100)
        return [
            event(first), failed(first, signedAt: day(30) + 1000, graceUntil: day(33)),
            failed(first, signedAt: day(33), graceUntil: nil), ended(first, at: day(90), as: .billingError),
            event(second), event(second.signed(at: day(105))) { $0.autoRenewStatus = .off },
        ]
    }

    private static var family: [Event] {
        let first = plan("monthly.1", 0..<30).familyShared()
        let second = first.renewed(as: "12", until: day(60))
        return [
            event(first), event(second), event(second.familyRevoked(at: day(40))),
            event(second.reversed(at: day(45))), event(second.signed(at: day(46))) { $0.autoRenewStatus = .off },
            event(first.familyRevoked(at: day(20)).signed(at: day(50))),
        ]
    }

    private static var consent: [Event] {
        let first = plan("annual.3", 0..<30)
        let second = first.renewed(as: "12", until: day(60))
        return [
            event(first), event(first.signed(at: day(10))) { $0.priceIncreaseStatus = .pending },
            event(first.signed(at: day(15))) { $0.priceIncreaseStatus = .consented }, event(second),
            event(second.signed(at: day(40))) { $0.priceIncreaseStatus = .pending },
            ended(second, at: day(60), as: .priceIncreaseDeclined) { $0.priceIncreaseStatus = .pending },
        ]
    }

    private static var periods: [Event] {
        let first = plan("annual.3", 0..<30)
        let second = first.renewed(as: "12", until: day(60))
        return [
            event(first), event(first.refunded(at: day(20))), event(first.reversed(at: day(25))), event(second),
            event(second.refunded(at: day(35), percentage: 33_333)), event(second.reversed(at: day(45))),
        ]
    }

    private static var extended: [Event] {
        let first = plan("annual.3", 0..<30)
        var longer = first.signed(at: day(10))
        longer.expiresDate = day(37)
        var longest = longer.signed(at: day(20))
        longest.expiresDate = day(44)
        return [
            event(first), event(longer), event(longer.signed(at: day(12))) { $0.autoRenewStatus = .off },
            event(longest), event(longest.refunded(at: day(25))),
            event(longest.reversed(at: day(28))) { $0.autoRenewStatus = .off },
        ]
    }

    // MARK: What they are made of

    private static func pass(_ id: String, of product: String = "pass.30", at number: Int64) -> SimulatedTransaction {
        SimulatedTransaction(
            id, of: product, type: .nonRenewingSubscription, bundleId: HostileVectors.app.bundleId, at: day(number))
    }

    /// The first period of a plan, in days.
    private static func plan(_ product: String, _ days: Range<Int64>) -> SimulatedTransaction {
        .subscription(
            "11", of: product, group: "21482456", bundleId: HostileVectors.app.bundleId, at: day(days.lowerBound),
            until: day(days.upperBound))
    }

    private static func events(_ transactions: [SimulatedTransaction]) -> [Event] {
        transactions.map { Event(transaction: $0) }
    }

    private static func event(
        _ transaction: SimulatedTransaction, _ change: (inout SimulatedRenewalInfo) -> Void = { _ in }
    ) -> Event {
        var renewal = SimulatedRenewalInfo(for: transaction)
        change(&renewal)
        return Event(transaction: transaction, renewal: renewal)
    }

    private static func failed(
        _ transaction: SimulatedTransaction, signedAt: Int64, graceUntil: Int64?
    ) -> Event {
        event(transaction.signed(at: signedAt)) {
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpiresDate = graceUntil
        }
    }

    private static func ended(
        _ transaction: SimulatedTransaction, at instant: Int64, as intent: ExpirationIntent,
        _ change: (inout SimulatedRenewalInfo) -> Void = { _ in }
    ) -> Event {
        event(transaction.signed(at: instant + 1000)) {
            $0.autoRenewStatus = .off
            $0.expirationIntent = intent
            change(&$0)
        }
    }
}
