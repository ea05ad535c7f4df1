/// The result of a delivery (`api.md`, "Webhooks"); the raw value is the store's answer, and stands in the database.
package enum DeliveryResult: String, Hashable, Sendable, CaseIterable {
    /// News: something was not known, or the purchase was given to the user whom the delivery names.
    case applied
    /// No news.
    case duplicate
    /// Nothing is done about deliveries of its type; they are kept.
    case ignored
    /// Waiting: for a user, or for a try that succeeds.
    case parked
    /// All tries have failed; an operator can have it tried again.
    case quarantined
}

/// The reason why a delivery waits, was given up or changed nothing of access; the raw value stands in the database and
/// in lists.
package enum DeliveryReason: String, Hashable, Sendable, CaseIterable {
    /// A try is going on, or will.
    case pending
    /// Nobody has its purchase yet.
    case noUser = "no_user"
    /// Nothing is known of its purchase yet.
    case noPurchase = "no_purchase"
    /// The name of its user is no user id.
    case invalidUser = "invalid_user_id"
    /// Another user than it names has its purchase, or is its customer.
    case contradicted
    /// Money that was to go back to the customer did not.
    case refundFailed = "refund_failed"
    /// The customer disputes the charge; nothing is taken back yet.
    case disputed
    /// The payment is still to come.
    case unpaid
    /// The event says what happened, and not to what.
    case thin
    /// A member that its type needs is missing, or of a form that is not known here.
    case unreadable
    /// Its type is not known here.
    case unknownType = "unknown_type"
    /// A parent withdrew the consent to the app; nothing is done about it here.
    case consentRescinded = "consent_rescinded"
    /// All tries have failed.
    case failed
    /// The text was deleted before the delivery was placed.
    case textGone = "text_gone"
}

/// The result of a delivery, and its reason.
package struct DeliveryStanding: Hashable, Sendable {
    package let result: DeliveryResult
    package let reason: DeliveryReason?

    package init(_ result: DeliveryResult, because reason: DeliveryReason? = nil) {
        self.result = result
        self.reason = reason
    }

    /// Stored, and not tried yet.
    package static let pending = DeliveryStanding(.parked, because: .pending)

    /// True if nothing more is to be done about it; a delivery that waits is tried again when it comes again.
    package var isSettled: Bool { result != .parked && result != .quarantined }
}
