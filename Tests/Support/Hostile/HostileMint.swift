import Entitlements
package import AppStore
package import Crypto
import FoundationEssentials
package import StoreSimulator
import SwiftASN1
import X509

/// The tools that hostile vectors are made with: sign any header and payload, mint any chain below the authority's
/// root.
package struct HostileMint {
    package let authority: DevelopmentAuthority
    package let app: StoreApp
    package let now: Int64
    /// DER of the authority's certificates.
    package let certificates: [[UInt8]]

    package init(authority: DevelopmentAuthority, app: StoreApp, now: Int64) throws {
        self.authority = authority
        self.app = app
        self.now = now
        self.certificates = [try authority.leaf.der, try authority.intermediate.der, try authority.root.der]
    }

    // MARK: What is accepted

    /// The purchase that the vectors change.
    package var transaction: SimulatedTransaction {
        var transaction = SimulatedTransaction(
            "2000001027701928", of: "com.airport.vpn.pass.30d", type: .nonRenewingSubscription, bundleId: app.bundleId,
            at: now - 3_600_000)
        transaction.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        return transaction
    }

    package var payload: SimulatedPayload { transaction.payload }
    package var header: SimulatedPayload { CompactText.header(certificates: certificates) }
    package var period: ClosedRange<Int64> { 1_546_300_800_000...1_893_456_000_000 }

    /// A subscription's transaction with all optional members.
    package var fullPayload: SimulatedPayload {
        var transaction = SimulatedTransaction.subscription(
            "2000001027701929", of: "com.visla.gps.annual3", group: "21482456", bundleId: app.bundleId,
            at: now - 3_600_000,
            until: now + 86_400_000
        ).refunded(at: now - 60_000, percentage: 50_000)
        transaction.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        transaction.isUpgraded = true
        transaction.offerType = .promotional
        transaction.offerIdentifier = "spring"
        transaction.offerDiscountType = .payUpFront
        transaction.offerPeriod = "P1M"
        var payload = transaction.payload
        payload["billingPlanType"] = .string("MONTHLY")
        return payload
    }

    /// The full payload with every member that decides nothing of a type that it must not be.
    package var oddities: SimulatedPayload {
        var payload = fullPayload
        for (place, name) in Self.idle.enumerated() {
            payload[name] = .verbatim(["true", "[7]", "{}", "1.5"][place % 4])
        }
        return payload
    }

    /// Members of a transaction that decide nothing.
    package static let idle = [
        "subscriptionGroupIdentifier", "revocationReason", "offerType", "offerIdentifier", "offerDiscountType",
        "offerPeriod", "transactionReason", "storefront", "storefrontId", "price", "currency", "billingPlanType",
    ]

    /// - Throws: Never.
    package func accepted() throws -> [(name: String, jws: String)] {
        var production = transaction
        production.environment = .production
        var unknown = payload
        unknown["somethingNew"] = .verbatim(#"{"deep":[1,2.5,{"x":null}],"é":"\ud83d\ude00"}"#)
        return [
            ("a pass", try sign(payload)),
            ("a pass bought in Production", try sign(production.payload)),
            ("a refunded subscription with every member", try sign(fullPayload)),
            ("members that did not exist yet", try sign(unknown)),
            ("members of other types that decide nothing", try sign(oddities)),
            (
                "a header with kid and typ",
                try sign(header: added(("kid", .string("x")), ("typ", .string("JWT"))), payload)
            ),
            (
                "another third certificate",
                try sign(header: CompactText.header(certificates: [certificates[0], certificates[1], [1]]), payload)
            ),
            ("signed five minutes ahead", try sign(changed("signedDate", .integer(now + 300_000)))),
            ("signed at the first instant of 2021", try sign(changed("signedDate", .integer(1_609_459_200_000)))),
            ("freshly minted certificates", try chain()),
        ]
    }

    // MARK: Payloads and headers

    /// The payload with one member changed, added or (`nil`) left out.
    package func changed(_ name: String, _ value: SimulatedPayload.Value?) -> SimulatedPayload {
        var payload = self.payload
        payload[name] = value
        return payload
    }

    /// The header with members added.
    package func added(_ members: (String, SimulatedPayload.Value)...) -> SimulatedPayload {
        var header = self.header
        for (name, value) in members { header[name] = value }
        return header
    }

    // MARK: Signing

    /// - Throws: Never.
    package func sign(_ payload: SimulatedPayload) throws -> String {
        try authority.sign(payload)
    }

    /// - Throws: Never.
    package func sign(header: SimulatedPayload, _ payload: SimulatedPayload) throws -> String {
        try sign(header: Array(header.json.utf8), payload: Array(payload.json.utf8))
    }

    /// - Throws: Never.
    package func sign(header: String) throws -> String {
        try sign(header: Array(header.utf8), payload: Array(payload.json.utf8))
    }

    /// - Throws: Never.
    package func sign(payload: String) throws -> String {
        try sign(header: Array(header.json.utf8), payload: Array(payload.utf8))
    }

    /// - Throws: Never.
    package func sign(
        header: [UInt8], payload: [UInt8], by key: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let input = CompactText.base64URL(header) + "." + CompactText.base64URL(payload)
        let signature = try (key ?? authority.leafKey).signature(for: Array(input.utf8))
        return input + "." + CompactText.base64URL(signature.rawRepresentation)
    }

    /// The segments of an accepted text.
    ///
    /// - Throws: Never.
    package func segments() throws -> [String] {
        try sign(payload).split(separator: ".").map(String.init)
    }

    // MARK: Chains

    /// A text under new certificates below the authority's root, each as the authority would make it but for what is
    /// changed.
    ///
    /// - Throws: If a certificate cannot be minted.
    package func chain(
        leaf changeLeaf: (inout CertificateRecipe) throws -> Void = { _ in },
        intermediate changeIntermediate: (inout CertificateRecipe) throws -> Void = { _ in },
        rootKey: P384.Signing.PrivateKey? = nil, third: [UInt8]? = nil
    ) throws -> String {
        let leafKey = P256.Signing.PrivateKey()
        let intermediateKey = P384.Signing.PrivateKey()
        let issuer = rootKey ?? authority.rootKey
        var intermediate = try intermediateRecipe(intermediateKey.publicKey)
        try changeIntermediate(&intermediate)
        var leaf = try leafRecipe(leafKey.publicKey, below: intermediateKey.publicKey)
        try changeLeaf(&leaf)
        return try sign(
            certificates: [
                try leaf.mint(signedBy: .init(intermediateKey)).der, try intermediate.mint(signedBy: .init(issuer)).der,
                third ?? certificates[2],
            ], by: leafKey)
    }

    /// - Throws: Never.
    package func leafRecipe(_ key: P256.Signing.PublicKey, below issuer: P384.Signing.PublicKey) throws
        -> CertificateRecipe
    {
        try DevelopmentAuthority.leafRecipe(key, below: issuer, period)
    }

    /// - Throws: Never.
    package func intermediateRecipe(_ key: P384.Signing.PublicKey) throws -> CertificateRecipe {
        try DevelopmentAuthority.intermediateRecipe(key, below: authority.rootKey.publicKey, period)
    }

    /// The payload signed by a key, under a header with these certificates.
    ///
    /// - Throws: Never.
    package func sign(certificates: [[UInt8]], by key: P256.Signing.PrivateKey? = nil) throws -> String {
        let header = CompactText.header(certificates: certificates)
        return try sign(header: Array(header.json.utf8), payload: Array(payload.json.utf8), by: key)
    }

    /// Vectors of one family with one answer.
    package func family(
        _ family: String, _ expected: EvidenceError.Reason, _ vectors: [(String, String)]
    ) -> [HostileVector] {
        vectors.map { HostileVector(family, $0.0, $0.1, expected) }
    }
}
