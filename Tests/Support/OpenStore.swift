import Crypto
package import Entitlements
package import LedgerStore
import MariaDB
import Synchronization

/// A store at work over a schema that nobody else uses, and the schema behind its back.
package struct OpenStore: Sendable {
    package let store: Store
    package let schema: TestSchema

    /// Schemas of the product's tables that are empty and free.
    private static let free = Mutex<[ConnectionSettings]>([])
    /// Locks time out when hundreds of tests make their tables at once.
    private static let turnstile = Turnstile(letting: 8)

    /// Runs `body` with a store over an empty schema in which `catalogue` is in force. Its account tokens and API keys
    /// are random but for the first token, which is `token`. Throws what `body` throws.
    package static func running(
        catalogue: CatalogueVersions, settings: LedgerSettings, format: StandingFormat, clock: TestClock,
        token: AccountToken? = nil,
        noteBatch: @escaping @Sendable (_ requests: Int) -> Void = { _ in },
        _ body: @Sendable (OpenStore) async throws -> Void
    ) async throws {
        try await turnstile.pass {
            let settled = try await emptySchema()
            let schema = TestSchema(settled)
            for version in catalogue.versions {
                try await schema.rows(
                    "INSERT INTO catalog_versions (version, effective_at, content) VALUES (?, ?, '')",
                    [Value(version.number), .int64(version.effectiveAt.milliseconds)])
            }
            let latest = catalogue.latest.catalogue
            try await serving(schema, latest, settings, format, clock, token, noteBatch, body)
            free.withLock { $0.append(settled) }
        }
    }

    /// Runs `body` with another instance over the same schema. Throws what `body` throws.
    package func beside(
        settings: LedgerSettings, format: StandingFormat, clock: TestClock,
        _ body: @Sendable (OpenStore) async throws -> Void
    ) async throws {
        let latest = store.catalogue.snapshot.latest.catalogue
        try await Self.serving(schema, latest, settings, format, clock, nil, { _ in }, body)
    }

    private static func serving(
        _ schema: TestSchema, _ latest: Catalogue, _ settings: LedgerSettings, _ format: StandingFormat,
        _ clock: TestClock, _ token: AccountToken?, _ noteBatch: @escaping @Sendable (_ requests: Int) -> Void,
        _ body: @Sendable (OpenStore) async throws -> Void
    ) async throws {
        try await Pool.running(schema.settings) { pool in
            guard let cache = try await CatalogueVersionCache.open(pool: pool, read: { _ in latest }) else {
                preconditionFailure("a version was put in force")
            }
            let tokens = Mutex(token)
            let store = Store(
                pool: pool, catalogue: cache, settings: settings, format: format, now: { clock.now },
                realNow: { clock.now },
                salt: { bytes(16) },
                accountToken: { tokens.withLock { $0.take() } ?? randomToken() }, apiKey: randomKey,
                attempt: { .random(in: .min ... .max) }, noteBatch: noteBatch)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await store.run() }
                defer { store.shutDown() }
                try await body(OpenStore(store: store, schema: schema))
            }
        }
    }

    private static func emptySchema() async throws -> ConnectionSettings {
        if let used = free.withLock({ $0.popLast() }) {
            try await TestSchema(used).empty()
            return used
        }
        let fresh = try await PrivateMariaDB.shared.freshDatabase()
        var patient = fresh
        patient.readTimeoutSeconds = 60
        try await Pool.running(patient) { pool in
            _ = try await Migrator(pool: pool, migrations: MigrationFiles.all()).migrate()
        }
        return fresh
    }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: .min ... .max) } }

    private static func randomToken() -> AccountToken {
        guard let token = AccountToken(bytes: bytes(16)) else { preconditionFailure("16 bytes make a token") }
        return token
    }

    private static func randomKey() -> APIKeySecret {
        let digits = (0..<43).map { _ in String(Int.random(in: 0..<36), radix: 36) }
        guard let secret = APIKeySecret(APIKeySecret.prefix + digits.joined()) else {
            preconditionFailure("43 letters make a secret")
        }
        return secret
    }

    // MARK: What people do

    /// Keeps what is shown, and gives the purchase to `user` if nobody has it. Throws when the database is away.
    package func sell(_ state: VerifiedPurchase, to user: UserID? = nil, unreadable: [String] = []) async throws {
        _ = try await store.ledger.record(
            [Self.evidence(state, unreadable: unreadable)], for: user.map { [$0] } ?? []
        ) { history -> Decision<Void, Never> in
            let isFree = history.purchases[state.key]?.owner == nil
            let bindings = user.map { isFree ? [state.key: $0] : [:] } ?? [:]
            return Decision(bindings: bindings, answer: .success(()))
        }
    }

    /// Keeps what a store says of a renewal. Throws when the database is away.
    package func tell(_ renewal: VerifiedRenewal) async throws {
        _ = try await store.ledger.record([Evidence(.renewal(renewal))], for: []) { _ -> Decision<Void, Never> in
            Decision(answer: .success(()))
        }
    }

    /// A text for a state; the ledger never looks into it.
    package static func evidence(
        _ purchase: VerifiedPurchase, text: String? = nil, unreadable: [String] = []
    ) -> Evidence {
        let text =
            text
            ?? "header.\(purchase.transactionID)~\(purchase.signedAt.milliseconds)~\(purchase.revocation != nil)"
            + "~\(purchase.key)"
        let header = text.utf8.prefix(upTo: text.utf8.firstIndex(of: UInt8(ascii: ".")) ?? text.startIndex)
        return Evidence(
            purchase,
            provedBy: Evidence.Proof(
                text: SignedText(
                    text: text, digest: Array(SHA256.hash(data: Array(text.utf8))),
                    header: SignedText.Header(length: header.count, digest: Array(SHA256.hash(data: Array(header))))),
                details: StoreDetails(
                    productType: "\(purchase.type)", reason: "PURCHASE", storefront: "DEU",
                    webOrderLineItemID: purchase.periodID),
                unreadable: unreadable))
    }
}
