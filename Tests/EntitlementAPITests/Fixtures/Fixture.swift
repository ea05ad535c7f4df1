import AppStore
import Crypto
import Entitlements
import LedgerStore
import StoreSimulator

@testable import EntitlementAPI

/// A small world: one app, two tiers, a pass, an add-on, credits and a plan; it is 2026-01-15, noon.
enum Fixture {
    static let now = Instant(milliseconds: 1_768_478_400_000)
    static let app = AppID("com.example.app")
    static let labels = PseudonymKey(bytes: Array(repeating: 7, count: PseudonymKey.byteCount)).labels
    /// The one that is issued first.
    static let accountToken = "0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d"
    static let secret = Array("a secret of the login that is long enough".utf8)

    static let catalogue = CatalogueVersions(
        first: CatalogueVersions.Version(number: 3, effectiveAt: .distantPast, catalogue: catalogue(of: [app])))

    static func catalogue(of apps: [AppID]) -> Catalogue {
        Catalogue(
            apps: apps.map { Catalogue.App(id: $0) }, defaultTier: TierID("free"),
            tiers: [
                Tier(id: TierID("free"), rank: 0, limits: ["saved_trips": 1]),
                Tier(
                    id: TierID("pro"), rank: 2, features: [Feature("premium")], limits: ["saved_trips": 1000],
                    devices: 5),
            ],
            products: apps.flatMap(products))
    }

    private static func products(of app: AppID) -> [Product] {
        [
            Product(
                id: ProductID("pass.30d"), app: app, terms: .pass(tier: TierID("pro"), days: 30),
                price: Product.Price(amount: "4.99", currency: "USD"),
                titles: ["en": "30-day pass", "zh-Hans": "30 天通行证", "de": "30-Tage-Pass"]),
            Product(
                id: ProductID("addon"), app: app,
                terms: .addOn(features: [Feature("xyz")], requires: nil, seats: 2, familyShareable: false)),
            Product(
                id: ProductID("credits"), app: app,
                terms: .consumable(unit: "credit", amount: 100, onShortfall: .debt)),
            Product(
                id: ProductID("annual3"), app: app,
                terms: .plan(tier: TierID("pro"), planID: "annual_3", familyShareable: true)),
        ]
    }

    static let settings = EntitlementSettings(sandboxAccess: .everyone)

    /// A key for each scope; its secret is 43 of one letter.
    static func apiKey(_ scope: APIKeyScope) -> String {
        switch scope {
        case .read: "gp_" + String(repeating: "r", count: 43)
        case .write: "gp_" + String(repeating: "w", count: 43)
        case .admin: "gp_" + String(repeating: "a", count: 43)
        case .audit: "gp_" + String(repeating: "t", count: 43)
        }
    }

    static func user(_ text: String = "u1") throws -> UserID {
        guard let user = UserID(text) else { throw Missing() }
        return user
    }

    struct Missing: Error {}

    // MARK: Signed texts

    static func authority() throws -> DevelopmentAuthority {
        try DevelopmentAuthority(validFrom: 1_700_000_000_000, validUntil: 1_900_000_000_000)
    }

    /// A pass bought on 2026-01-10.
    static func pass(_ id: String = "1001") -> SimulatedTransaction {
        SimulatedTransaction(
            id, of: "pass.30d", type: .nonRenewingSubscription, bundleId: app.text, at: 1_768_003_200_000)
    }

    // MARK: Tokens

    /// A compact JWT, signed with HS256.
    static func token(
        _ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#, secret: [UInt8] = secret
    ) -> String {
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: secret))
        return text + "." + Base64URL.encode(code)
    }

    /// Of a user, for a year.
    static func token(of user: String) -> String {
        token(#"{"sub":"\#(user)","exp":\#(now.milliseconds / 1000 + 31_536_000)}"#)
    }
}
