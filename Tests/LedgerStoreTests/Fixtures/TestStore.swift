import Entitlements
import LedgerStore
import MariaDB
import Support

/// A schema of the test's own with the product's tables, and instances of the store at work on it.
struct TestStore: Sendable {
    /// One instance of the server's storage: a pool, a writer queue, a reader and what issues tokens.
    struct Instance: Sendable {
        let pool: Pool
        let versionCache: CatalogueVersionCache
        let ledger: Ledger
        let reader: LedgerReader
        let standings: Standings
        let tokens: AccountTokens
    }

    let settings: ConnectionSettings
    let instances: [Instance]
    let clock: TestClock
    let schema: TestSchema
    let rules: ClaimRules

    var ledger: Ledger { instances[0].ledger }
    var pool: Pool { instances[0].pool }

    /// The migrations of the repository. Throws when they cannot be read.
    static func migrations() throws -> [Migration] {
        try MigrationFiles.all()
    }

    /// Locks time out when hundreds of tests make their tables at once.
    private static let turnstile = Turnstile(letting: 8)

    /// Runs `body` with `count` instances over one fresh schema. Throws what `body` throws.
    static func open(
        instances count: Int = 1, legacyTokens: Bool = false, server: PrivateMariaDB? = nil,
        through proxyPort: Int? = nil,
        _ body: @Sendable (TestStore) async throws -> Void
    ) async throws {
        try await turnstile.pass {
            try await prepared(count, legacyTokens, server, proxyPort, body)
        }
    }

    private static func prepared(
        _ count: Int, _ legacyTokens: Bool, _ server: PrivateMariaDB?, _ proxyPort: Int?,
        _ body: @Sendable (TestStore) async throws -> Void
    ) async throws {
        let home = if let server { server } else { try await PrivateMariaDB.shared }
        let settings = try await home.freshDatabase()
        let clock = TestClock(at: Sample.epoch + 40 * Instant.millisecondsPerDay)
        var patient = settings
        patient.readTimeoutSeconds = 60
        try await Pool.running(patient) { pool in
            _ = try await Migrator(pool: pool, migrations: migrations()).migrate()
            _ = try await CatalogueVersionCache.apply("first", to: pool, at: Sample.epoch, isSame: { $0 == "first" })
        }
        var used = settings
        if let proxyPort { used.endpoints = [.tcp(host: "127.0.0.1", port: proxyPort)] }
        try await open(count, used, [], clock) { [settings] instances in
            try await body(
                TestStore(
                    settings: settings, instances: instances, clock: clock, schema: TestSchema(settings),
                    rules: ClaimRules(decodesLegacyTokens: legacyTokens)))
        }
    }

    /// Opens a store at a server of its own, behind a proxy that can cut it off.
    static func openBehindProxy(
        instances count: Int = 1, _ body: @Sendable (TestStore, PacketProxy) async throws -> Void
    ) async throws {
        var options = PrivateMariaDB.Options()
        options.listensOnLoopback = true
        options.skipsGrants = true
        let server = try await PrivateMariaDB.start(options)
        defer { server.kill() }
        let proxy = try PacketProxy(to: server.port)
        defer { proxy.stop() }
        try await open(instances: count, server: server, through: proxy.port) { store in try await body(store, proxy) }
    }

    private static func open(
        _ missing: Int, _ settings: ConnectionSettings, _ opened: [Instance], _ clock: TestClock,
        _ body: @Sendable ([Instance]) async throws -> Void
    ) async throws {
        guard missing > 0 else { return try await body(opened) }
        try await Pool.running(settings) { pool in
            guard let versionCache = try await CatalogueVersionCache.open(pool: pool, read: Sample.read) else {
                throw Sample.UnknownText()
            }
            let ledger = Ledger(
                pool: pool, catalogue: versionCache,
                settings: Sample.ledgerSettings, format: Sample.format,
                now: { clock.now }, salt: { (0..<16).map { _ in .random(in: .min ... .max) } })
            let instance = Instance(
                pool: pool, versionCache: versionCache, ledger: ledger, reader: ledger.reader(),
                standings: ledger.standings(),
                tokens: AccountTokens(pool: pool, labels: Sample.labels, now: { clock.now }, random: Self.randomToken))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await instance.ledger.run() }
                group.addTask { await instance.reader.run() }
                group.addTask { await instance.standings.run() }
                defer {
                    instance.ledger.shutDown()
                    instance.reader.shutDown()
                    instance.standings.shutDown()
                }
                try await open(missing - 1, settings, opened + [instance], clock, body)
            }
        }
    }

    private static func randomToken() -> AccountToken {
        guard let token = AccountToken(bytes: (0..<16).map { _ in .random(in: .min ... .max) }) else {
            preconditionFailure("16 bytes make a token")
        }
        return token
    }

    /// The signed texts that are kept, put together again, in their order.
    var texts: [[Value]] {
        get async throws {
            try await schema.rows(
                """
                SELECT CONCAT(COALESCE(h.header, ''), t.jws)
                FROM signed_texts t LEFT JOIN signed_headers h ON h.id = t.header_id ORDER BY t.state_id
                """)
        }
    }

    // MARK: What people do

    /// Attaches `purchase` to `user` through one of the instances. Throws when the database is away.
    @discardableResult
    func attach(
        _ purchase: VerifiedPurchase, to user: UserID, text: String? = nil, proof: String? = nil,
        unreadable: [String] = [], via instance: Int = 0
    ) async throws(ServiceFailure) -> Result<Claim, AttachRefusal> {
        try await recordAttach(of: purchase, to: user, text: text, proof: proof, unreadable: unreadable, via: instance)
            .answer
    }

    /// The same with all that is known after it. Throws when the database is away.
    func recordAttach(
        of purchase: VerifiedPurchase, to user: UserID, text: String? = nil, proof: String? = nil,
        unreadable: [String] = [], via instance: Int = 0
    ) async throws(ServiceFailure) -> Recorded<Claim, AttachRefusal> {
        let proof = proof.map { Self.proof($0, in: purchase.key.environment) }
        return try await instances[instance].ledger.record(
            [OpenStore.evidence(purchase, text: text, unreadable: unreadable)], for: [user]
        ) { Attach(purchase, to: user, proof: proof, in: claims($1)).decide(given: $0) }
    }

    /// Restores `purchases` for `user` through one of the instances. Throws when the database is away.
    @discardableResult
    func restore(
        _ purchases: [VerifiedPurchase], to user: UserID, proof: String? = nil, via instance: Int = 0
    ) async throws(ServiceFailure) -> [Restore.Verdict] {
        let proof = proof.map { Self.proof($0, in: .production) }
        return try await instances[instance].ledger.record(purchases.map { OpenStore.evidence($0) }, for: [user]) {
            Restore(purchases, to: user, proof: proof, in: claims($1)).decide(given: $0)
        }.answer.get()
    }

    /// An operator gives all or one of what `giver` has to `receiver`. Throws when the database is away.
    @discardableResult
    func transfer(
        _ selection: OperatorAct.Selection, from giver: UserID, to receiver: UserID, note: Note = Sample.note,
        via instance: Int = 0
    ) async throws(ServiceFailure) -> Result<[PurchaseKey], OperatorRefusal> {
        try await instances[instance].ledger.record(for: [receiver], everythingOf: giver) { history, context in
            OperatorAct(on: giver, note: note).transfer(selection, to: receiver, given: history, in: context)
        }.answer
    }

    /// An operator merges a guest into a user, which stands in the audit trail. Throws when the database is away.
    @discardableResult
    func merge(
        _ guest: UserID, into user: UserID
    ) async throws(ServiceFailure) -> Result<[PurchaseKey], OperatorRefusal> {
        try await ledger.record(
            for: [user], everythingOf: guest, audit: AuditedAct(by: .commandLine, .merge, to: user, with: guest)
        ) { history, context in
            OperatorAct(on: user, note: Sample.note).merge(
                guest, mentionedAs: Sample.labels.mention(of: guest), given: history, in: context)
        }.answer
    }

    /// An operator grants something under `id`. Throws when the database is away.
    @discardableResult
    func grant(
        _ offer: OperatorAct.Offer, as id: String, to user: UserID, note: Note = Sample.note, via instance: Int = 0
    ) async throws(ServiceFailure) -> Result<Grant, OperatorRefusal> {
        let id = ExternalID(id)
        return try await instances[instance].ledger.record(for: [user], keys: [Grant.key(id)]) {
            OperatorAct(on: user, note: note).give(offer, as: id, given: $0, in: $1)
        }.answer
    }

    /// Puts a device on record. Throws when the database is away.
    @discardableResult
    func register(
        _ device: DeviceID, of user: UserID, named name: DeviceName? = nil, via instance: Int = 0
    ) async throws(ServiceFailure) -> Result<RegisterDevice.Reply, DeviceRefusal> {
        let id = Sample.label(of: device, of: user)
        let label = name.map { Sample.labels.label(.deviceName, user.text, $0.text) }
        let note = Note(actor: nil, device: device, deviceName: name)
        return try await instances[instance].ledger.record(for: [user]) {
            RegisterDevice(id, of: user, named: label, note: note).decide(
                given: $0, in: $1.catalogue, under: Sample.settings)
        }.answer
    }

    /// Everything recorded of `user` as the tables have it, without the cache. Throws when the database is away.
    func ledger(of user: UserID) async throws -> UserLedger {
        try await Pool.running(settings) { pool in
            let ledger = Ledger(
                pool: pool, catalogue: instances[0].versionCache,
                settings: Sample.ledgerSettings, format: Sample.format, now: { clock.now }, salt: { [] })
            let reader = ledger.reader()
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await reader.run() }
                defer { reader.shutDown() }
                return try await reader.ledger(of: user)
            }
        }
    }

    func claims(_ context: FoldContext) -> ClaimContext { ClaimContext(rules: rules, fold: context) }

    static func proof(_ account: String, in environment: StoreEnvironment) -> AccountProof {
        AccountProof(of: Sample.label(of: account, in: environment), in: Sample.app, environment)
    }

    /// What `user` has now. Throws when the database is away.
    func timeline(of user: UserID) async throws(ServiceFailure) -> Timeline {
        let ledger = try await instances[0].reader.ledger(of: user)
        return Timeline(folding: ledger, given: instances[0].versionCache.snapshot, settings: Sample.settings)
    }
}
