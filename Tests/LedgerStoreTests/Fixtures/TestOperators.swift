import Entitlements
import LedgerStore
import MariaDB
import Support

/// What servers and operators use, over a store's tables.
struct TestOperators: Sendable {
    let pool: Pool
    let audit = AuditTrail { (0..<16).map { _ in .random(in: .min ... .max) } }
    let keys: APIKeys
    let idempotency: IdempotencyKeys
    let reader: OperatorReader

    init(_ store: TestStore, instance: Int = 0) {
        pool = store.instances[instance].pool
        let clock = store.clock
        keys = APIKeys(pool: pool, audit: audit, now: { clock.now }, random: Self.secret)
        idempotency = IdempotencyKeys(pool: pool, now: { clock.now }, random: { .random(in: .min ... .max) })
        reader = OperatorReader(pool: pool)
    }

    /// Random, like the product's.
    @Sendable static func secret() -> APIKeySecret {
        let digits = (0..<43).map { _ in String(Int.random(in: 0..<36), radix: 36) }
        guard let secret = APIKeySecret(APIKeySecret.prefix + digits.joined()) else {
            preconditionFailure("43 letters make a secret")
        }
        return secret
    }

    /// Asks again while a busy machine has no connection to lend. Throws what `body` throws otherwise.
    static func patiently<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        while true {
            do {
                return try await body()
            } catch let error as ServiceFailure where error.cause == .overloaded {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// A key of these scopes, and its secret. Throws when the database is away.
    func create(_ scopes: Set<APIKeyScope>, name: String = "till") async throws -> (key: APIKey, secret: APIKeySecret) {
        guard let request = APIKeyRequest(name: name, scopes: scopes) else { throw Sample.UnknownText() }
        return try await keys.create(request, by: .commandLine, reason: "opening")
    }

    /// What erases people.
    func erasure(at now: Instant) -> Erasure {
        Erasure(pool: pool, labels: Sample.labels, audit: audit, now: { now })
    }

    /// Enters an act about nobody, or about a person. Throws when the database is away.
    func note(
        _ reason: String?, at now: Instant, subject: UInt64? = nil, action: AuditAction = AuditAction("test.act")
    ) async throws {
        let record = AuditRecord(
            at: now, actor: .commandLine, action: action, subject: subject,
            details: ["b": "\"two\"", "a": "1"], reason: reason)
        try await pool.transaction { (session) throws(DatabaseError) in try audit.append(record, in: session) }
    }

    /// Something that somebody at the command line does, and why.
    func trailWriter(_ reason: String? = nil) -> TrailWriter {
        TrailWriter(by: .commandLine, reason: reason, in: audit)
    }

    /// What the trail tells, oldest first. Throws when the database is away.
    func told() async throws -> [String] {
        try await OperatorReader(pool: pool).auditEntries(before: nil, limit: 100).rows.reversed().map { entry in
            [entry.action, entry.details, entry.reason].compactMap(\.self).joined(separator: " ")
        }
    }

    /// What verifies, against an exported head if there is one. Throws when the database is away.
    func defects(against export: String? = nil) async throws -> [AuditTrailCheck.Defect] {
        try await AuditTrailCheck.run(from: pool, against: export.flatMap(ExportedAuditHead.init)).defects
    }
}
