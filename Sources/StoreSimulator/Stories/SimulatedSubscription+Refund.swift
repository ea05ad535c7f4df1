import AppStore

/// Refunds of periods, and the end of Family Sharing (`apple.md` §3.7, §3.10).
///
/// A refund changes the transaction only, not the renewal info. `transactionId` names the refunded period; nil means
/// the newest one.
extension SimulatedSubscription {
    /// Apple refunded a period: `REFUND`.
    ///
    /// - Parameter percentage: In thousandths of a percent, 0 to 100000.
    /// - Throws: ``Refusal``.
    package mutating func refund(
        _ transactionId: String? = nil, percentage: Int64 = 100_000, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        try revoke(.refund, transactionId, Revocation(date: instant, percentage: percentage), at: instant)
    }

    /// Apple reversed the refund: `REFUND_REVERSED`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func reverseRefund(
        of transactionId: String? = nil, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        let place = try place(of: transactionId)
        guard periods[place].revocation?.percentage != nil else { throw .notRefunded }
        periods[place].revocation = nil
        return event(.refundReversed, about: periods[place], at: instant)
    }

    /// The family member lost access: `REVOKE`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func revokeSharing(at instant: Int64) throws(Refusal) -> SimulatedEvent {
        guard buyer.isFamilyMember else { throw .notShared }
        return try revoke(.revoke, nil, Revocation(date: instant, percentage: nil), at: instant)
    }

    private mutating func revoke(
        _ type: NotificationType, _ transactionId: String?, _ revocation: Revocation, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        let place = try place(of: transactionId)
        guard periods[place].revocation == nil else { throw .revoked }
        guard periods[place].purchaseDate <= instant else { throw .notBegun(at: periods[place].purchaseDate) }
        periods[place].revocation = revocation
        return event(type, about: periods[place], at: instant)
    }
}
