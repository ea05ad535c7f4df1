import Entitlements
import MariaDB

/// A row of `signing_keys`: a key that signs entitlement tokens.
enum SigningKeyRow {
    private static let all = SQLStatement(
        "read signing keys",
        """
        SELECT kid, generation, public_jwk, sealed_key, created_at, signs_until, retired_at, token_hours
        FROM signing_keys ORDER BY generation
        """)

    private static let insert = SQLStatement(
        "add signing key",
        """
        INSERT INTO signing_keys (kid, generation, public_jwk, sealed_key, created_at, signs_until, token_hours)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)

    private static let retireAll = SQLStatement(
        "retire signing keys", "UPDATE signing_keys SET retired_at = ? WHERE retired_at IS NULL AND signs_until > ?")

    private static let promise = SQLStatement(
        "lengthen signing key", "UPDATE signing_keys SET token_hours = GREATEST(token_hours, ?) WHERE kid = ?")

    private static let delete = SQLStatement(
        "delete signing key", "DELETE FROM signing_keys WHERE kid = ? AND generation = ?")

    /// All keys, oldest first.
    static func load(in session: Session) throws(DatabaseError) -> [SigningKeyStore.Stored] {
        try session.query(all) { (row) throws(DatabaseError) in
            SigningKeyStore.Stored(
                generation: try row.int(1),
                key: SigningKeyStore.Key(
                    kid: try row.text(0), publicJWK: try row.text(2), sealedKey: try row.bytes(3),
                    createdAt: Instant(milliseconds: try row.int64(4)),
                    signsUntil: Instant(milliseconds: try row.int64(5)), tokenHours: try row.int(7)),
                retiredAt: try row.optionalInt64(6).map(Instant.init))
        }
    }

    /// Inserts a key. Throws a duplicate-key error if another instance made this generation first.
    static func insert(
        _ key: SigningKeyStore.Key, generation: Int, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            insert,
            [
                .text(key.kid), Value(generation), .text(key.publicJWK), .bytes(key.sealedKey),
                .int64(key.createdAt.milliseconds), .int64(key.signsUntil.milliseconds), Value(key.tokenHours),
            ])
    }

    /// Ends the signing of all keys in the table.
    static func retireAll(at now: Instant, in session: Session) throws(DatabaseError) {
        try session.execute(retireAll, [.int64(now.milliseconds), .int64(now.milliseconds)])
    }

    /// Raises the longest life of the key's tokens to `hours`, unless it is longer already.
    static func promise(_ hours: Int, by kid: String, in session: Session) throws(DatabaseError) {
        try session.execute(promise, [Value(hours), .text(kid)])
    }

    private static let reseal = SQLStatement(
        "seal signing key again", "UPDATE signing_keys SET sealed_key = ? WHERE kid = ? AND sealed_key = ?")

    /// Replaces the sealed key `old`, unless another instance has replaced it.
    static func reseal(_ kid: String, from old: [UInt8], to new: [UInt8], in session: Session) throws(DatabaseError) {
        try session.execute(reseal, [.bytes(new), .text(kid), .bytes(old)])
    }

    /// Deletes a key; nothing happens if it is already gone.
    static func delete(_ stored: SigningKeyStore.Stored, in session: Session) throws(DatabaseError) {
        try session.execute(delete, [.text(stored.key.kid), Value(stored.generation)])
    }
}
