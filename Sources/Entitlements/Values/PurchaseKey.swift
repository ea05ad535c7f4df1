/// The source of a purchase, by the name that the API and the database write.
///
/// A source that several modules name stands here. Any other source is named in its own module.
package struct Source: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }

    package static let appleIAP = Source("apple_iap")
    package static let stripe = Source("stripe")
    /// The source of operators' grants.
    package static let manual = Source("manual")
}

extension AppID {
    /// The app of all card purchases. Their ids are unique for the whole card account, whatever app they were bought
    /// in.
    package static let cards = AppID("stripe")
}

/// The environment of a store. Each environment has lanes, balances and identities of its own (`semantics.md` §9).
package enum StoreEnvironment: String, Hashable, Sendable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
}

/// The identity of a one-time purchase or of a chain (`semantics.md` §5).
///
/// This is a class that caches its hash, because everything that is known of a purchase is looked up by its key.
package final class PurchaseKey: Hashable, Comparable, Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    package let externalID: ExternalID
    private let hash: Int

    package init(source: Source, app: AppID, environment: StoreEnvironment, externalID: ExternalID) {
        self.source = source
        self.app = app
        self.environment = environment
        self.externalID = externalID
        var hasher = Hasher()
        hasher.combine(app)
        hasher.combine(externalID)
        hash = hasher.finalize()
    }

    package static func == (left: PurchaseKey, right: PurchaseKey) -> Bool {
        left === right
            || left.hash == right.hash && left.externalID == right.externalID && left.app == right.app
                && left.environment == right.environment && left.source == right.source
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// True if this key comes first where everything else is equal: by the smaller external id, compared byte by byte
    /// (`semantics.md` §2), then by `<`.
    package func comesFirst(inTieWith other: PurchaseKey) -> Bool {
        externalID == other.externalID ? self < other : externalID < other.externalID
    }

    /// The order of keys. All code locks purchases in this order.
    package static func < (left: PurchaseKey, right: PurchaseKey) -> Bool {
        if left.source != right.source { return left.source < right.source }
        if left.app != right.app { return left.app < right.app }
        if left.environment != right.environment { return left.environment.rawValue < right.environment.rawValue }
        return left.externalID < right.externalID
    }
}
