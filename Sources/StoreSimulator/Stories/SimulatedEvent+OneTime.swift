package import AppStore
package import Entitlements

/// Events of a one-time purchase: a pass, an add-on or a consumable (`apple.md` §3.2, §3.10, §4.1).
///
/// `transaction` is the purchase before the event. Instants are milliseconds since the epoch. An event whose
/// transaction holds a date of its own, such as a revocation date, is signed a second after that date; others are
/// signed at their instant.
extension SimulatedEvent {
    /// The purchase itself.
    package static func oneTimeCharge(_ transaction: SimulatedTransaction) -> SimulatedEvent {
        SimulatedEvent(.oneTimeCharge, about: transaction)
    }

    /// A refund.
    ///
    /// - Parameter percentage: In thousandths of a percent, 0 to 100000.
    package static func refund(
        _ transaction: SimulatedTransaction, percentage: Int64 = 100_000, at revocationDate: Int64
    ) -> SimulatedEvent {
        SimulatedEvent(.refund, about: transaction.refunded(at: revocationDate, percentage: percentage))
    }

    /// The customer asked for a refund and Apple declined.
    package static func refundDeclined(_ transaction: SimulatedTransaction, at instant: Int64) -> SimulatedEvent {
        SimulatedEvent(.refundDeclined, about: transaction.signed(at: instant))
    }

    /// The refund was undone.
    package static func refundReversed(_ transaction: SimulatedTransaction, at instant: Int64) -> SimulatedEvent {
        SimulatedEvent(.refundReversed, about: transaction.reversed(at: instant))
    }

    /// A family member lost access to the purchase.
    package static func revoke(_ transaction: SimulatedTransaction, at revocationDate: Int64) -> SimulatedEvent {
        SimulatedEvent(.revoke, about: transaction.familyRevoked(at: revocationDate))
    }

    /// The customer asked for a refund, and Apple asks the server how much was consumed.
    package static func consumptionRequest(
        _ transaction: SimulatedTransaction, for reason: ConsumptionRequestReason, at instant: Int64
    ) -> SimulatedEvent {
        var event = SimulatedEvent(.consumptionRequest, about: transaction.signed(at: instant))
        event.consumptionRequestReason = reason
        return event
    }

    /// The server asked Apple for a test notification.
    package static func test(
        bundleId: String, environment: StoreEnvironment = .sandbox, at instant: Int64
    ) -> SimulatedEvent {
        SimulatedEvent(.test, bundleId: bundleId, environment: environment, at: instant)
    }
}
