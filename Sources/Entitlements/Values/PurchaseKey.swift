/// Where a purchase comes from; the raw value is what the API and the database write.
package enum Source: String, Hashable, Sendable, CaseIterable {
    case appleIAP = "apple_iap"
    case stripe
    case manual
}

/// Which of a store's two worlds; each has lanes, balances and identities of its own (`semantics.md` §9).
package enum StoreEnvironment: String, Hashable, Sendable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
}

/// The identity of a purchase, or of an auto-renewable's chain (`semantics.md` §5).
///
/// A class with its hash at hand, because everything that is known of a purchase is looked up by it.
package final class PurchaseKey: Hashable, Comparable, Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment
    package let externalID: ExternalID
    /// What decides in the place of the external id which of two comes first: one that is called otherwise since its owner was
    /// erased keeps its place among the others. No part of the identity.
    package let place: ExternalID?
    private let hash: Int

    package init(
        source: Source, app: AppID, environment: StoreEnvironment, externalID: ExternalID, place: ExternalID? = nil
    ) {
        self.source = source
        self.app = app
        self.environment = environment
        self.externalID = externalID
        self.place = place
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

    /// Whether this comes first where all else is equal (`semantics.md` §2): by the smallest external id, bytewise.
    package func precedes(_ other: PurchaseKey) -> Bool {
        let (mine, others) = (place ?? externalID, other.place ?? other.externalID)
        return mine == others ? self < other : mine < others
    }

    /// The order in which keys are locked, everywhere the same.
    package static func < (left: PurchaseKey, right: PurchaseKey) -> Bool {
        if left.source != right.source { return left.source.rawValue < right.source.rawValue }
        if left.app != right.app { return left.app < right.app }
        if left.environment != right.environment { return left.environment.rawValue < right.environment.rawValue }
        return left.externalID < right.externalID
    }
}
