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
        environment: StoreEnvironment = .production, type: StatedType = .pass,
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
        story.ledger.append([.init(.bound(state.key), at: instant)], at: instant)
        return story
    }

    /// Evidence alone.
    func records(_ state: VerifiedPurchase, at instant: Instant) -> Story {
        states(.purchase(state), at: instant)
    }

    /// What a store said.
    func states(_ statement: Statement, at instant: Instant) -> Story {
        var story = self
        story.ledger.append([.init(.stated(statement), at: statement.signedAt)], at: instant)
        return story
    }

    /// An operator's gift, which is the user's at once.
    func grants(_ id: String, _ gift: Grant.Gift, at instant: Instant) -> Story {
        let grant = Grant(key: .grant(id), gift: gift, grantedAt: instant)
        return told(.granted(grant), at: instant).told(.bound(grant.key), at: instant)
    }

    /// An operator takes back what was bought or granted.
    func withdraws(_ id: String, at instant: Instant) -> Story { told(.withdrawn(key(id)), at: instant) }

    func givesAway(_ id: String, at instant: Instant, ran: Int64 = 0, units: Int = 0) -> Story {
        told(.gaveAway(key(id), Handover(cause: .operator, ran: ran, units: units)), at: instant)
    }

    func receives(_ id: String, at instant: Instant, ran: Int64 = 0, units: Int = 0) -> Story {
        told(.received(key(id), Handover(cause: .operator, ran: ran, units: units)), at: instant)
    }

    /// Any fact, learned when it holds.
    func told(_ fact: Fact, at instant: Instant) -> Story {
        var story = self
        story.ledger.append([.init(fact, at: instant)], at: instant)
        return story
    }

    private func key(_ id: String) -> PurchaseKey { bought[id]?.key ?? .grant(id) }

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

/// An account of Production in the app of the example catalogue.
extension AccountProof: ExpressibleByStringLiteral {
    package init(stringLiteral account: String) {
        self.init(of: Label(account), in: .vpn, .production)
    }

    /// Such as `apple of Sandbox`.
    var summary: String { "\(account) of \(environment.rawValue)" }
}

extension UserID: ExpressibleByStringLiteral {
    static let alice: UserID = "alice"

    /// The text is of the form that `UserID` asks for.
    package init(stringLiteral text: String) {
        guard let user = UserID(text) else { preconditionFailure("a user id of the right form: \(text)") }
        self = user
    }
}

extension PurchaseKey {
    static func grant(_ id: String) -> PurchaseKey { Grant.key(ExternalID(id)) }
}

extension EntitlementSettings {
    static let everyone = EntitlementSettings(sandboxAccess: .everyone)
    static let production = EntitlementSettings(sandboxAccess: .nobody)
    static let testers = EntitlementSettings(sandboxAccess: .testers)
}

extension Segment {
    /// Such as `p1 01-01..01-31`.
    var text: String { "\(key.externalID) \(startsAt.text)..\(endsAt.text)" }
}

extension VerifiedPurchase {
    /// A state of the purchase `id`; a restored copy has a `transaction` of its own.
    static func state(
        of id: String, _ product: ProductID = .pro30, _ type: StatedType = .pass,
        transaction: String? = nil, period: String? = nil, source: Source = .appleIAP,
        environment: StoreEnvironment = .production, at purchasedAt: Instant, originallyAt: Instant? = nil,
        until expiresAt: Instant? = nil, quantity: Int = 1, isFamilyShared: Bool = false, isUpgraded: Bool = false,
        otherNames: [ProductID] = [], offer: String? = nil, group: String? = nil, milliunits: Int64? = nil,
        suspension: Suspension? = nil, revocation: Revocation? = nil, accountToken: Label? = nil,
        account: String? = nil, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        VerifiedPurchase(
            key: PurchaseKey(source: source, app: .vpn, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(transaction ?? id), periodID: period, productID: product,
            otherNames: otherNames, type: type, purchasedAt: purchasedAt, originallyPurchasedAt: originallyAt,
            expiresAt: expiresAt, quantity: quantity, isFamilyShared: isFamilyShared, isUpgraded: isUpgraded,
            offer: offer, subscriptionGroup: group, suspension: suspension,
            price: milliunits.map { Price(milliunits: $0, currency: "EUR") }, revocation: revocation,
            accountToken: accountToken, account: account.map { Label($0) }, signedAt: signedAt ?? purchasedAt)
    }

    /// The same transaction, signed again.
    func with(revocation: Revocation?, signedAt: Instant) -> VerifiedPurchase {
        VerifiedPurchase(
            key: key, transactionID: transactionID, isOriginal: isOriginal, periodID: periodID, productID: productID,
            otherNames: otherNames, type: type, purchasedAt: purchasedAt, originallyPurchasedAt: originallyPurchasedAt,
            expiresAt: expiresAt, quantity: quantity, isFamilyShared: isFamilyShared, isUpgraded: isUpgraded,
            offer: offer, subscriptionGroup: subscriptionGroup, suspension: suspension, price: price,
            revocation: revocation, accountToken: accountToken, account: account, signedAt: signedAt)
    }
}
