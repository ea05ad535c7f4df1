package import Entitlements

/// An authentic delivery of a store, before anything came of it.
package struct InboxDelivery: Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    /// The store's id of it, the same in its repeats: Apple's `notificationUUID`, the id of a card event.
    package let externalID: String
    /// As the store calls it, such as `DID_RENEW`; of what is longer, the first 64 characters.
    package let type: String
    package let subtype: String?
    package let signedAt: Instant
    /// The purchase that it is about; nil where it is about none.
    package let purchase: ExternalID?
    /// The names and numbers that stand in it: labels of users, customers, account tokens and Apple accounts, and the
    /// store's numbers of purchases.
    package let mentions: [String]
    /// The takeback in numbers alone, as its source writes it; nil where it takes nothing back.
    package let takeback: String?
    package let text: InboxText
    /// SHA-256 over what it says, the same in all repeats.
    package let contentDigest: [UInt8]

    package init(
        source: Source, app: AppID, environment: StoreEnvironment, externalID: String, type: String, subtype: String?,
        signedAt: Instant, about purchase: ExternalID?, mentioning mentions: [String] = [],
        takingBack takeback: String? = nil, text: InboxText, contentDigest: [UInt8]
    ) {
        self.source = source
        self.app = app
        self.environment = environment
        self.externalID = externalID
        self.type = type
        self.subtype = subtype
        self.signedAt = signedAt
        self.purchase = purchase
        self.mentions = mentions
        self.takeback = takeback
        self.text = text
        self.contentDigest = contentDigest
    }
}

/// What became of a delivery (`api.md`, "Webhooks"); the raw value is what the store is answered and the database
/// holds.
package enum DeliveryResult: String, Hashable, Sendable, CaseIterable {
    /// It said what was not known, or its purchase was given to the user whom it names.
    case applied
    /// All of it was known.
    case duplicate
    /// Nothing is done about deliveries of its type; they are kept.
    case ignored
    /// It waits: for a user, or for a try that succeeds.
    case parked
    /// All tries have failed; an operator can have it tried again.
    case quarantined
}

/// Why a delivery waits, was given up or changed nothing of access; the raw value stands in the database and in lists.
package enum DeliveryReason: String, Hashable, Sendable, CaseIterable {
    /// It is being placed, or will be tried again.
    case pending
    /// Nobody has its purchase yet.
    case noUser = "no_user"
    /// It is about a purchase that nothing is known of yet.
    case noPurchase = "no_purchase"
    /// It names a user by what is no user id.
    case invalidUser = "invalid_user_id"
    /// It names another user than its customer or its purchase is known to have.
    case contradicted
    /// Money that was to go back to the customer did not.
    case refundFailed = "refund_failed"
    /// The customer disputes the charge; nothing is taken back yet.
    case disputed
    /// It counts once it is paid.
    case unpaid
    /// It says what happened, and not to what.
    case thin
    /// It lacks what its type needs, or has it in a form that is not known here.
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

/// What became of a delivery, and where it stands.
package struct DeliveryStanding: Hashable, Sendable {
    package let result: DeliveryResult
    package let reason: DeliveryReason?

    package init(_ result: DeliveryResult, because reason: DeliveryReason? = nil) {
        self.result = result
        self.reason = reason
    }

    /// Stored, and not tried yet.
    package static let pending = DeliveryStanding(.parked, because: .pending)

    /// Whether nothing more is to be done about it; what waits is tried again when it comes again.
    package var isSettled: Bool { result != .parked && result != .quarantined }
}

/// A delivery as operators read it.
package struct RecordedDelivery: Hashable, Sendable {
    /// Grows with each that is received.
    package let id: UInt64
    package let standing: DeliveryStanding
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    package let externalID: String
    package let type: String
    package let subtype: String?
    package let signedAt: Instant
    package let receivedAt: Instant
    package let settledAt: Instant?
    /// The purchase that it is about.
    package let purchase: ExternalID?
    /// Who has the purchase.
    package let owner: UserID?
    /// Whether another content came under the same id.
    package let isContradicted: Bool
}

/// The content that is kept of a delivery, which may still have to be placed.
package struct DeliveryContent: Hashable, Sendable {
    package let source: Source
    package let environment: StoreEnvironment
    /// The text as it came; nil once it is deleted.
    package let text: String?
    /// The delivery's ``InboxDelivery/takeback``, until that is placed.
    package let takeback: String?

    package init(source: Source, environment: StoreEnvironment, text: String?, takeback: String?) {
        self.source = source
        self.environment = environment
        self.text = text
        self.takeback = takeback
    }
}

/// A delivery as it is stored.
package struct StoredDelivery: Hashable, Sendable {
    package let id: UInt64
    package let standing: DeliveryStanding
}
