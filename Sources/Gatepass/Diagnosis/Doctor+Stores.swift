import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import LedgerStore

/// The checks of the login, the trusted roots, the catalogue and the stores.
extension Doctor {
    /// The time before the end of a root certificate from which on a check warns, in milliseconds.
    private static let rootNotice = 90 * Instant.millisecondsPerDay
    /// The time that counts as recent, for what was bought.
    private static let boughtDays: Int64 = 30
    /// The silence of a store in production that is unusual, as in `docs/alerts.yaml`.
    private static let longestSilence = 3 * Instant.millisecondsPerDay

    func login() async -> Finding {
        let login = Login(settings: startup.settings.auth, files: startup.files, client: client)
        do {
            _ = try await login.verifier()
        } catch {
            return .wrong("\(error)", advice: nil)
        }
        let days = startup.settings.auth.appleTokenDays
        let accounts = days.map { "; Apple accounts sign in by themselves, for \($0.counted("day"))" } ?? ""
        switch startup.settings.auth.verification {
        case .keySet(let address): return await keySet(of: login, at: address, beside: accounts)
        case .publicKey(let file): return .ok("users' tokens are verified by the public key in \(file)\(accounts)")
        case .sharedSecret(_, let previous):
            let words = previous.isEmpty ? "" : " and \(previous.count.counted("previous one"))"
            return .ok("users' tokens are verified by a shared secret\(words)\(accounts)")
        case nil where days != nil: return .ok("there is no login of the app's own\(accounts)")
        case nil: return .ok("users' tokens are verified by the development secret")
        }
    }

    private func keySet(of login: Login, at address: WebAddress, beside accounts: String) async -> Finding {
        let start = Surroundings.uptime()
        let document: [UInt8]
        do {
            document = try await login.document(at: address)
        } catch {
            return .wrong(
                "the login's keys cannot be fetched from \(address): \(error)",
                advice: "see that this machine reaches auth.jwks_url; without keys nobody signs in after a restart")
        }
        let took = (Surroundings.uptime() - start) / .milliseconds(1)
        guard let count = await RemoteKeys.usableKeys(in: document) else {
            return .wrong(
                "\(address) has no key that can verify a token", advice: "see that auth.jwks_url leads to a JWKS")
        }
        return .ok("\(count.counted("key")) from \(address) in \(Int(took)) ms\(accounts)")
    }

    func trustRoots() -> Finding {
        do {
            let (files, now) = (startup.files, Surroundings.now())
            let signed = Self.judge(try files.trustRoots(startup.settings), at: now)
            let receipts = Self.judge(
                try files.receiptRoots(startup.settings), of: "apple.receipt_roots", at: now)
            return signed.result == .wrong || receipts.result == .ok ? signed : receipts
        } catch {
            return .wrong("\(error)", advice: nil)
        }
    }

    static func judge(_ roots: TrustRoots, of key: String = "apple.trust_roots", at now: Instant) -> Finding {
        if let root = roots.roots.first(where: { !$0.isValid(at: now.milliseconds) }) {
            return .wrong("\(root.subject) is not valid now", advice: "name Apple's present root in \(key)")
        }
        if let root = roots.roots.first(where: { !$0.isValid(at: (now + rootNotice).milliseconds) }) {
            return .warning(
                "\(root.subject) ends within 90 days", advice: "add Apple's next root to \(key)")
        }
        return .ok("\(roots.roots.count.counted("root")) in \(key), valid for 90 days and more")
    }

    /// The age of the newest signed text, and the certificate that signed it, judged by the roots of the settings.
    /// Throws when the database is away.
    func signedTexts() async throws -> Finding {
        guard let newest = try await OperatorReader(pool: pool).newestSignedText() else {
            return .ok("no signed text is kept yet")
        }
        let roots: TrustRoots
        do {
            roots = try startup.files.trustRoots(startup.settings)
        } catch {
            return .notDone("the roots cannot be read")
        }
        let age = Self.age(of: newest.recordedAt, at: startup.clock.now())
        guard let period = roots.validityOfLeaf(under: newest.header) else {
            return .wrong(
                "the newest, of \(age) ago, is signed by a certificate that ends at none of the roots",
                advice: "put the root that was removed back into apple.trust_roots: purchases are refused without it")
        }
        let instants = [period.lowerBound, period.upperBound].map {
            RFC3339.text(of: Instant(milliseconds: $0 * 1_000))
        }
        return .ok("the newest came \(age) ago, by a certificate valid from \(instants[0]) to \(instants[1])")
    }

    /// The catalogue in force, and the file beside it. Throws if the catalogue in force cannot be read or the database
    /// is away.
    func catalogue() async throws -> Finding {
        guard let version = try await catalogueVersions()?.latest else {
            return .wrong(
                "the database holds no catalogue, so nothing is sold",
                advice: "run `gatepass catalog apply`, or start a server with a catalogue file")
        }
        let text = "version \(version.number), in force since \(RFC3339.text(of: version.effectiveAt))"
        guard startup.hasCatalogueFile else { return .ok(text) }
        do throws(CatalogueFileError) {
            guard try startup.loadCatalogue().catalogue != version.catalogue else { return .ok(text) }
        } catch {
            return .wrong(
                "the catalogue file has \(error.faults.count.counted("fault")), so a server refuses to start",
                advice: "`gatepass catalog check` tells what and where")
        }
        return .warning(
            "the catalogue file differs from \(text)", advice: "put it in force with `gatepass catalog apply`")
    }

    /// The products that were bought of late and that no version of the catalogue knows. Throws like
    /// ``catalogue()``.
    func products() async throws -> Finding {
        let now = startup.clock.now()
        let bought = try await OperatorReader(pool: pool).boughtProducts(
            since: now + -Self.boughtDays * Instant.millisecondsPerDay, at: now)
        let catalogue = try await catalogueVersions()
        let unknown = bought.filter { product in
            catalogue?.products(named: product.names, from: product.space.source, for: product.space.app).isEmpty
                ?? true
        }
        return Self.judge(unknown: unknown)
    }

    static func judge(unknown products: [BoughtProduct]) -> Finding {
        guard !products.isEmpty else { return .ok("the catalogue knows all that was bought in \(boughtDays) days") }
        let list = products.map { product in
            "\(product.names[0]) of \(product.space.app) (\(product.space.source), "
                + "\(product.purchases.counted("purchase")) in \(product.space.environment.rawValue))"
        }
        let text = "bought in \(boughtDays) days and unknown to the catalogue: \(list.joined(separator: ", "))"
        let advice =
            "add them to the catalogue and run `gatepass catalog apply`: purchases that were made before count then too"
        let isPaid = products.contains { $0.space.environment == .production }
        return isPaid ? .wrong(text, advice: advice) : .warning(text, advice: advice)
    }

    /// The last deliveries of the App Store. Throws like ``catalogue()``.
    func apple() async throws -> Finding {
        let isSold = try await catalogueVersions()?.latest.catalogue.products.contains { $0.source == .appleIAP }
        let last = try await StoreFigures.lastDeliveries(in: pool).filter { $0.source == .appleIAP }
        return Self.judge(
            last, at: startup.clock.now(), isExpected: isProduction && isSold ?? false,
            advice: "enter https://…/api/billing/webhooks/apple in App Store Connect, and ask for a test notification")
    }

    /// The settings of card billing, and the last deliveries of Stripe. Throws like ``catalogue()``.
    func stripe() async throws -> Finding {
        let settings = startup.settings.stripe
        let isSold = try await catalogueVersions()?.latest.catalogue.products.contains(where: \.isSoldByCard) ?? false
        guard !settings.signingSecrets.isEmpty else {
            guard isSold else { return .ok("not configured, and nothing is sold by card") }
            return .wrong(
                "products are sold by card, and every event is refused: stripe.signing_secrets is empty",
                advice: "copy the endpoint's secret, whsec_…, from Stripe's page of webhooks")
        }
        let last = try await StoreFigures.lastDeliveries(in: pool).filter { $0.source == .stripe }
        let key = settings.apiKey == nil ? "no API key for `gatepass reconcile stripe`" : "an API key"
        return Self.judge(
            last, at: startup.clock.now(), isExpected: isProduction && isSold,
            beside: "\(settings.signingSecrets.count.counted("signing secret")) and \(key); ",
            advice: "see Stripe's page of the webhook endpoint, and bring what it lost: `gatepass reconcile stripe`")
    }

    /// Judges the last deliveries of a store. `isExpected` is true if deliveries in production should come every day.
    static func judge(
        _ deliveries: [LastDelivery], at now: Instant, isExpected: Bool, beside words: String = "", advice: String
    ) -> Finding {
        let last = deliveries.map { "\($0.environment.rawValue) \(age(of: $0.receivedAt, at: now)) ago" }
        let text = words + "last delivery: " + (last.isEmpty ? "none yet" : last.sorted().joined(separator: ", "))
        let newest = deliveries.first { $0.environment == .production }?.receivedAt
        let isSilent = newest.map { now - $0 > longestSilence } ?? true
        return isExpected && isSilent ? .warning(text, advice: advice) : .ok(text)
    }
}
