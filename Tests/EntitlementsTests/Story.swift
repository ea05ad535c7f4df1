import Entitlements

/// A user's ledger told in the words of `semantics.md`: what was bought, refunded and reversed, and when.
///
/// Purchases are bound, and states recorded, in the order told; each state is signed at the instant it speaks of
/// unless told otherwise.
struct Story {
    var ledger = UserLedger(user: .alice)
    private var bought: [String: VerifiedPurchase] = [:]

    /// A purchase that is attached when it is made.
    func buys(
        _ id: String, _ product: ProductID = .pro30, at: Instant, quantity: Int = 1,
        environment: StoreEnvironment = .production, type: StoreProductType = .nonRenewing,
        isFamilyShared: Bool = false, signedAt: Instant? = nil, attachedAt: Instant? = nil
    ) -> Story {
        attaches(
            .state(
                of: id, product, type, environment: environment, at: at, quantity: quantity,
                isFamilyShared: isFamilyShared, signedAt: signedAt ?? at),
            at: attachedAt ?? signedAt ?? at)
    }

    /// One more state of a purchase that is refunded by `share`.
    func refunds(
        _ id: String, at: Instant, share: Int? = Revocation.fullShare, signedAt: Instant? = nil,
        recordedAt: Instant? = nil
    ) -> Story {
        guard let state = bought[id] else { return self }
        let signedAt = signedAt ?? at
        return records(
            state.with(revocation: Revocation(revokedAt: at, share: share), signedAt: signedAt),
            at: recordedAt ?? signedAt)
    }

    /// One more state of a purchase, which shows no revocation.
    func reverses(_ id: String, signedAt: Instant, recordedAt: Instant? = nil) -> Story {
        guard let state = bought[id] else { return self }
        return records(state.with(revocation: nil, signedAt: signedAt), at: recordedAt ?? signedAt)
    }

    /// Evidence, and the binding of its purchase.
    func attaches(_ state: VerifiedPurchase, at instant: Instant) -> Story {
        var story = records(state, at: instant)
        story.bought[state.key.externalID.text] = state
        story.ledger.append([(instant, .bound(state.key))], at: instant)
        return story
    }

    /// Evidence alone.
    func records(_ state: VerifiedPurchase, at instant: Instant) -> Story {
        var story = self
        story.ledger.append([(state.signedAt, .evidence(state))], at: instant)
        return story
    }

    func timeline(
        in catalogue: CatalogueVersions = .example, settings: EntitlementSettings = .everyone, knownAt: Instant? = nil
    ) -> Timeline {
        Timeline(
            folding: knownAt.map { ledger.known(at: $0) } ?? ledger, given: catalogue, settings: settings)
    }

    func status(
        at: Instant, in catalogue: CatalogueVersions = .example, settings: EntitlementSettings = .everyone,
        knownAt: Instant? = nil
    ) -> Status {
        timeline(in: catalogue, settings: settings, knownAt: knownAt).status(at: at)
    }

    /// The planned pieces as lines such as `p1 01-01..01-31`.
    func segments(in catalogue: CatalogueVersions = .example, knownAt: Instant? = nil) -> [String] {
        timeline(in: catalogue, knownAt: knownAt).planned.map(\.segment.text)
    }
}

extension UserID {
    /// A user; the name is of the form that `UserID` asks for.
    static let alice: UserID = {
        guard let user = UserID("alice") else { preconditionFailure("a user id of the right form") }
        return user
    }()
}

extension EntitlementSettings {
    static let everyone = EntitlementSettings(sandboxAccess: .everyone)
    static let production = EntitlementSettings(sandboxAccess: .nobody)
}

extension Segment {
    /// Such as `p1 01-01..01-31`.
    var text: String { "\(key.externalID) \(startsAt.text)..\(endsAt.text)" }
}

extension VerifiedPurchase {
    /// A state of the purchase `id`; a restored copy has a `transaction` of its own.
    static func state(
        of id: String, _ product: ProductID = .pro30, _ type: StoreProductType = .nonRenewing,
        transaction: String? = nil, period: String? = nil, source: Source = .appleIAP,
        environment: StoreEnvironment = .production, at purchasedAt: Instant, originallyAt: Instant? = nil,
        until expiresAt: Instant? = nil, quantity: Int = 1, isFamilyShared: Bool = false, isUpgraded: Bool = false,
        revocation: Revocation? = nil, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        VerifiedPurchase(
            key: PurchaseKey(source: source, app: .vpn, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(transaction ?? id), periodID: period, productID: product, type: type,
            purchasedAt: purchasedAt, originallyPurchasedAt: originallyAt, expiresAt: expiresAt, quantity: quantity,
            isFamilyShared: isFamilyShared, isUpgraded: isUpgraded, revocation: revocation,
            signedAt: signedAt ?? purchasedAt)
    }

    /// The same transaction, signed again.
    func with(revocation: Revocation?, signedAt: Instant) -> VerifiedPurchase {
        VerifiedPurchase(
            key: key, transactionID: transactionID, periodID: periodID, productID: productID, type: type,
            purchasedAt: purchasedAt, originallyPurchasedAt: originallyPurchasedAt, expiresAt: expiresAt,
            quantity: quantity, isFamilyShared: isFamilyShared, isUpgraded: isUpgraded, revocation: revocation,
            accountToken: accountToken, appTransactionID: appTransactionID, signedAt: signedAt)
    }
}
