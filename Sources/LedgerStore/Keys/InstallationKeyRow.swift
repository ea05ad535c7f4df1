import Entitlements
import MariaDB

/// A row of `installation_keys`: a secret of the installation, sealed under the key-encryption key.
enum InstallationKeyRow {
    /// A sealed secret, and the value that tells whether it was opened with the right key.
    struct Sealed {
        let key: [UInt8]
        let checkValue: [UInt8]
    }

    private static let byName = SQLStatement(
        "read installation key", "SELECT sealed_key, check_value FROM installation_keys WHERE name = ?")

    private static let insert = SQLStatement(
        "make installation key",
        """
        INSERT INTO installation_keys (name, sealed_key, check_value, created_at) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE name = name
        """)

    private static let anyLabels = SQLStatement(
        "find labels",
        """
        SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM purchases) OR EXISTS (SELECT 1 FROM account_tokens)
            OR EXISTS (SELECT 1 FROM idempotency_keys)
        """)

    private static let reseal = SQLStatement(
        "seal installation key again", "UPDATE installation_keys SET sealed_key = ? WHERE name = ? AND sealed_key = ?")

    /// The sealed secret of this name; nil while there is none.
    static func load(_ name: String, in session: Session) throws(DatabaseError) -> Sealed? {
        guard let row = try session.query(byName, [.text(name)]).first else { return nil }
        return Sealed(key: try row.bytes(0), checkValue: try row.bytes(1))
    }

    /// True if the database has rows that may contain labels, so that a missing pseudonym key is a fault.
    static func isMissed(in session: Session) throws(DatabaseError) -> Bool {
        try session.query(anyLabels).first?.bool(0) ?? false
    }

    /// Stores a secret, unless another instance has stored one first.
    static func insert(
        _ sealed: Sealed, as name: String, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            insert, [.text(name), .bytes(sealed.key), .bytes(sealed.checkValue), .int64(now.milliseconds)])
    }

    /// Replaces the sealed secret `old`, unless another instance has replaced it.
    static func reseal(
        _ name: String, from old: [UInt8], to new: [UInt8], in session: Session
    ) throws(DatabaseError) {
        try session.execute(reseal, [.bytes(new), .text(name), .bytes(old)])
    }
}
