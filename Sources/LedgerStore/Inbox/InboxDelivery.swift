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
    /// The owner of the purchase.
    package let owner: UserID?
    /// True if another content came under the same id.
    package let isContradicted: Bool
}

/// The content that is kept of a delivery, which may still have to be placed.
package struct DeliveryContent: Hashable, Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    /// The text as it came; nil once it is deleted.
    package let text: String?
    /// The delivery's ``InboxDelivery/takeback``, until that is placed.
    package let takeback: String?

    package init(source: Source, app: AppID, environment: StoreEnvironment, text: String?, takeback: String?) {
        self.source = source
        self.app = app
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
