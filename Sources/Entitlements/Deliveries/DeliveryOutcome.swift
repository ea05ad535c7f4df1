/// The result of placing a delivery (`api.md`, "Webhooks"). The raw value is written to the answer and to the database.
package enum DeliveryResult: String, Hashable, Sendable, CaseIterable {
    /// The delivery told something new, or its purchase was given to the user whom it names.
    case applied
    /// The delivery told nothing new.
    case duplicate
    /// Nothing is done about a delivery of this type, but it is kept.
    case ignored
    /// The delivery waits for a user or a purchase to become known, or to be tried again.
    case parked
    /// All tries have failed. An operator can have the delivery tried again.
    case quarantined
}

/// The reason why a delivery waits, was given up, or changed nobody's access. The raw value is written to the database
/// and to lists.
package enum DeliveryReason: String, Hashable, Sendable, CaseIterable {
    /// The delivery is being placed, or will be.
    case pending
    /// Nobody has the delivery's purchase yet.
    case noUser = "no_user"
    /// Nothing is known yet of the purchase to which the delivery's numbers lead.
    case noPurchase = "no_purchase"
    /// The name by which the delivery names a user is not a valid user id.
    case invalidUser = "invalid_user_id"
    /// The delivery names a user, but another user has its purchase or is known as its customer.
    case contradicted
    /// A refund to the customer failed.
    case refundFailed = "refund_failed"
    /// The customer disputes the charge. Nothing is taken back while the dispute is open.
    case disputed
    /// The checkout is complete, but its payment is still to come.
    case unpaid
    /// The event names no object: it is a thin event, which says only what happened.
    case thin
    /// A member that this type of delivery needs is missing, or has a form that is not known here.
    case unreadable
    /// The delivery's type is not known here.
    case unknownType = "unknown_type"
    /// A parent withdrew the consent to the app. Access does not change, and an operator has to look.
    case consentRescinded = "consent_rescinded"
    /// All tries have failed.
    case failed
    /// The delivery's text was deleted before the delivery was placed.
    case textGone = "text_gone"
}

/// The result of placing a delivery, with the reason for it.
package struct DeliveryOutcome: Hashable, Sendable {
    package let result: DeliveryResult
    package let reason: DeliveryReason?

    package init(_ result: DeliveryResult, because reason: DeliveryReason? = nil) {
        self.result = result
        self.reason = reason
    }

    /// The outcome of a delivery that is stored but was not tried yet.
    package static let pending = DeliveryOutcome(.parked, because: .pending)

    /// True if nothing more is to be done about the delivery: it is neither parked nor quarantined.
    package var isSettled: Bool { result != .parked && result != .quarantined }
}
