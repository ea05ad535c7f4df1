import Entitlements
import MariaDB

/// A row of `api_keys`: a server's API key, with the SHA-256 of its secret.
enum APIKeyRow {
    private static let columns = "id, name, scopes, created_at, revoked_at, last_used_at"

    private static let bySecret = SQLStatement(
        "find api key", "SELECT \(columns), secret_hash FROM api_keys WHERE secret_hash = ?")

    private static let byID = SQLStatement("read api key", "SELECT \(columns) FROM api_keys WHERE id = ?")

    private static let page = SQLStatement(
        "list api keys", "SELECT \(columns) FROM api_keys WHERE id < ? ORDER BY id DESC LIMIT ?")

    private static let insert = SQLStatement(
        "insert api key",
        "INSERT INTO api_keys (name, scopes, secret_hash, created_at) VALUES (?, ?, ?, ?) RETURNING \(columns)")

    private static let revoke = SQLStatement(
        "revoke api key", "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")

    private static let touch = SQLStatement(
        "touch api key",
        "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?)")

    /// The key whose secret has this SHA-256 digest, with the stored digest, which the caller compares in constant
    /// time; nil if there is none.
    static func find(
        secretHash: [UInt8], in session: Session
    ) throws(DatabaseError) -> (key: APIKey, secretHash: [UInt8])? {
        guard let row = try session.query(bySecret, [.bytes(secretHash)]).first else { return nil }
        return (try decode(row), try row.bytes(6))
    }

    /// The key with this id; nil if there is none.
    static func read(_ id: UInt64, in session: Session) throws(DatabaseError) -> APIKey? {
        guard let row = try session.query(byID, [.uint64(id)]).first else { return nil }
        return try decode(row)
    }

    /// Up to `limit` keys with ids below `id`, the newest first.
    static func page(before id: UInt64?, limit: Int, in session: Session) throws(DatabaseError) -> [APIKey] {
        try session.query(page, [.uint64(id ?? .max), Value(limit)], decode: decode)
    }

    /// Inserts a new key. Throws a duplicate-key error if a key has this secret already.
    static func insert(
        _ request: APIKeyRequest, secretHash: [UInt8], at now: Instant, in session: Session
    ) throws(DatabaseError) -> APIKey {
        let scopes = request.scopes.sorted().map(\.rawValue).joined(separator: ",")
        let rows = try session.query(
            insert, [.text(request.name), .text(scopes), .bytes(secretHash), .int64(now.milliseconds)])
        guard let row = rows.first else { throw DatabaseError(.unexpectedCell(column: 0), statement: insert.name) }
        return try decode(row)
    }

    /// Revokes a key; true if it was valid until now.
    static func revoke(_ id: UInt64, at now: Instant, in session: Session) throws(DatabaseError) -> Bool {
        try session.execute(revoke, [.int64(now.milliseconds), .uint64(id)]) > 0
    }

    /// Writes the instant of a key's use, unless a use after `limit` is already written.
    static func touch(_ id: UInt64, at now: Instant, ifNotSince limit: Instant, in session: Session)
        throws(DatabaseError)
    {
        try session.execute(touch, [.int64(now.milliseconds), .uint64(id), .int64(limit.milliseconds)])
    }

    private static func decode(_ row: Row) throws(DatabaseError) -> APIKey {
        let scopes = try row.text(2).split(separator: ",").compactMap { APIKeyScope(rawValue: String($0)) }
        return APIKey(
            id: try row.uint64(0), name: try row.text(1), scopes: Set(scopes),
            createdAt: Instant(milliseconds: try row.int64(3)),
            revokedAt: try row.optionalInt64(4).map(Instant.init(milliseconds:)),
            lastUsedAt: try row.optionalInt64(5).map(Instant.init(milliseconds:)))
    }
}
