package import Entitlements

/// An authentic delivery of a store, before it is stored and placed.
package struct InboxDelivery: Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    /// The store's id of the delivery, the same when the store sends it again: Apple's `notificationUUID`, Stripe's
    /// event id.
    package let externalID: String
    /// The store's name of the delivery's type, such as `DID_RENEW`. Only its first 64 characters are stored.
    package let type: String
    package let subtype: String?
    package let signedAt: Instant
    /// The purchase that the delivery is about; nil if it names none.
    package let purchase: ExternalID?
    /// The names and numbers that stand in the delivery: labels of users, customers, account tokens and Apple accounts,
    /// and the store's numbers of purchases.
    package let mentions: [String]
    /// The takeback as text, in numbers and dates without names (`Takeback.text`); nil if nothing is taken back.
    package let takeback: String?
    /// The amounts of a payment that the delivery tells; nil if it tells none.
    package let amount: PaymentAmount?
    package let text: InboxText
    /// SHA-256 of the content; it is the same each time the store sends this delivery.
    package let contentDigest: [UInt8]

    package init(
        source: Source, app: AppID, environment: StoreEnvironment, externalID: String, type: String, subtype: String?,
        signedAt: Instant, about purchase: ExternalID?, mentioning mentions: [String] = [],
        takingBack takeback: String? = nil, telling amount: PaymentAmount? = nil, text: InboxText,
        contentDigest: [UInt8]
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
        self.amount = amount
        self.text = text
        self.contentDigest = contentDigest
    }
}

/// A delivery as operators see it in lists.
package struct RecordedDelivery: Hashable, Sendable {
    package let id: UInt64
    package let outcome: DeliveryOutcome
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    package let externalID: String
    package let type: String
    package let subtype: String?
    package let signedAt: Instant
    package let receivedAt: Instant
    package let settledAt: Instant?
    /// The purchase that the delivery is about; nil if none is known.
    package let purchase: ExternalID?
    /// The owner of the purchase; nil while nobody has it, or if the owner is erased.
    package let owner: UserID?
    /// True if a delivery with the same id but other content was received too.
    package let isContradicted: Bool
}

/// The text and the takeback that are stored of a delivery.
package struct DeliveryContent: Hashable, Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    /// The store's name of the delivery's type.
    package let type: String
    /// The text as it was received; nil once it is deleted.
    package let text: String?
    /// The delivery's ``InboxDelivery/takeback``; nil if there is none, or once the delivery is placed.
    package let takeback: String?

    package init(
        source: Source, app: AppID, environment: StoreEnvironment, type: String, text: String?, takeback: String?
    ) {
        self.source = source
        self.app = app
        self.environment = environment
        self.type = type
        self.text = text
        self.takeback = takeback
    }
}

/// A stored delivery's id, and its outcome: the result of placing the delivery, and the reason.
package struct StoredDelivery: Hashable, Sendable {
    package let id: UInt64
    /// The store's name of the delivery's type.
    package let type: String
    package let outcome: DeliveryOutcome
}
