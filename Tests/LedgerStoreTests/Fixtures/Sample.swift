import Entitlements
import LedgerStore

/// The catalogues that the tests put in force, by the text that stands for each, and purchases of what they sell.
enum Sample {
    /// The text is no catalogue that this program can read.
    struct UnknownText: Error {}

    /// 2026-01-01T00:00:00Z.
    static let epoch = Instant(milliseconds: 1_767_225_600_000)
    static let app = AppID("com.airport.vpn")
    static let settings = EntitlementSettings(sandboxAccess: .everyone)
    /// Writes the tier and both ends of a status.
    static let format = StandingFormat(number: 1) { status in
        let text = [status.tier?.text ?? "-", "\(status.expiresAt?.milliseconds ?? 0)", status.state.rawValue]
            .joined(separator: " ")
        return StandingAnswer(substance: Array(text.utf8), entityTag: text)
    }

    /// What a version's text says. Throws `UnknownText` for a text of nobody's.
    @Sendable static func read(_ text: String) throws -> Catalogue {
        switch text {
        case "first": catalogue(days: 30, products: ["pass.30"])
        case "longer": catalogue(days: 60, products: ["pass.30"])
        case "more": catalogue(days: 30, products: ["pass.30", "pass.new"], coins: ["coins.100", "gems.new"])
        case "vouchers": catalogue(days: 30, products: ["pass.30"], more: Vouchers.products)
        case "movable": catalogue(days: 30, products: ["pass.30"], ownership: [.pass: .transfer])
        default: throw UnknownText()
        }
    }

    private static func catalogue(
        days: Int, products: [String], coins: [String] = ["coins.100"], more: [Product] = [],
        ownership: [ProductKind: OwnershipPolicies.Policy] = [:]
    ) -> Catalogue {
        Catalogue(
            apps: [Catalogue.App(id: app)], defaultTier: TierID("free"),
            tiers: [
                Tier(id: TierID("free"), rank: 0), Tier(id: TierID("basic"), rank: 1),
                Tier(id: TierID("pro"), rank: 2, devices: 3),
            ], ownership: OwnershipPolicies(ownership),
            products: products.map {
                Product(id: ProductID($0), app: app, terms: .pass(tier: TierID("pro"), days: days))
            }
                + coins.map {
                    Product(
                        id: ProductID($0), app: app,
                        terms: .consumable(unit: "coin", amount: 100, onShortfall: .debt))
                }
                + coins.map {
                    Product(
                        id: ProductID($0), app: app, terms: .consumable(unit: "coin", amount: 100, onShortfall: .debt))
                } + [
                    Product(id: ProductID("basic.30"), app: app, terms: .pass(tier: TierID("basic"), days: 30)),
                    Product(
                        id: ProductID("vault"), app: app,
                        terms: .addOn(features: [Feature("vault")], requires: nil, seats: 0, familyShareable: false)),
                    Product(
                        id: ProductID("plan.month"), app: app,
                        terms: .plan(tier: TierID("basic"), planID: nil, familyShareable: false)),
                ] + more)
    }

    /// A pass bought `day` days after the epoch, as its transaction shows it when it is bought.
    static func pass(
        _ id: String, of product: String = "pass.30", day: Int = 0, transaction: String? = nil,
        token: AccountToken? = nil, account: String? = nil, signedDay: Int? = nil, revokedDay: Int? = nil,
        share: Int? = Revocation.fullShare, in environment: StoreEnvironment = .production
    ) -> VerifiedPurchase {
        sale(
            id, of: product, .pass, day: day, transaction: transaction, token: token, account: account,
            signedDay: signedDay, revokedDay: revokedDay, share: share, in: environment)
    }

    /// The same of any type; a plan's period ends 30 days after it was bought.
    static func sale(
        _ id: String, of product: String, _ type: StatedType, day: Int = 0, transaction: String? = nil,
        period: String? = nil, token: AccountToken? = nil, account: String? = nil, signedDay: Int? = nil,
        revokedDay: Int? = nil, share: Int? = Revocation.fullShare, quantity: Int = 1, isFamilyShared: Bool = false,
        in environment: StoreEnvironment = .production
    ) -> VerifiedPurchase {
        let instant = { (day: Int) in epoch + Int64(day) * Instant.millisecondsPerDay }
        return VerifiedPurchase(
            key: PurchaseKey(source: .appleIAP, app: app, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(transaction ?? id), periodID: period, productID: ProductID(product),
            type: type,
            purchasedAt: instant(day), expiresAt: type == .plan ? instant(day + 30) : nil,
            quantity: quantity, isFamilyShared: isFamilyShared,
            revocation: revokedDay.map { Revocation(revokedAt: instant($0), share: share) },
            accountToken: token.map { labels.label(of: $0) }, account: account.map { label(of: $0, in: environment) },
            signedAt: signedDay.map(instant) ?? instant(day) + 1_000)
    }

    static let pseudonymKey = PseudonymKey(bytes: Array(1...32))
    static let labels = pseudonymKey.labels
    static let ledgerSettings = LedgerSettings(entitlements: settings, labels: labels)

    /// That of an Apple account.
    static func label(of account: String, in environment: StoreEnvironment = .production) -> Label {
        labels.label(.account, app.text, environment.rawValue, account)
    }

    /// That of a device, which is of one user's.
    static func label(of device: DeviceID, of user: UserID) -> Label {
        labels.label(.device, user.text, device.text)
    }

    static let note = Note(actor: "support", reason: "asked \"nicely\" – ça va", reference: "ticket 1")

    /// A device by name; the name is of the right form.
    static func device(_ name: String) -> DeviceID {
        guard let device = DeviceID(name) else { preconditionFailure("\(name) names no device") }
        return device
    }

    /// A user by name; the name is of the right form.
    static func user(_ name: String) -> UserID {
        guard let user = UserID(name) else { preconditionFailure("\(name) names no user") }
        return user
    }

    static func user(_ number: Int) -> UserID { user("u\(number)") }
}
