package import MariaDB

/// Compares the table of API keys with the audit trail. The trail must show the creation of every key, with the key's
/// name, scopes and secret. Trail and table must agree on whether a key is revoked.
package enum APIKeyCheck {
    /// The result of the check.
    package struct Outcome: Hashable, Sendable {
        package let keys: Int
        /// The faults, in the order of the keys' ids.
        package let faults: [APIKeyFault]

        package init(keys: Int, faults: [APIKeyFault]) {
            self.keys = keys
            self.faults = faults
        }
    }

    /// Checks all keys. Throws when the database is away.
    package static func run(from pool: Pool) async throws(ServiceFailure) -> Outcome {
        let rows = try await pool.ask { (session) throws(DatabaseError) in try APIKeyCheckRow.load(in: session) }
        let table = rows.filter { $0.action == nil }
        let told = Dictionary(grouping: rows.filter { $0.action != nil }, by: \.key)
        var faults = table.flatMap { key in defects(of: key, told: told[key.key] ?? []).map { (key.key ?? 0, $0) } }
        let gone = Set(told.keys.compactMap(\.self)).subtracting(table.compactMap(\.key))
        faults += gone.map { ($0, .missing) }
        return Outcome(
            keys: table.count, faults: faults.sorted { $0.0 < $1.0 }.map { APIKeyFault(key: $0.0, defect: $0.1) })
    }

    private static func defects(of key: APIKeyCheckRow, told entries: [APIKeyCheckRow]) -> [APIKeyFault.Defect] {
        let made = entries.filter { $0.action == AuditAction.createAPIKey.text }
        let ended = entries.filter { $0.action == AuditAction.revokeAPIKey.text }
        guard let entry = made.first else { return [.notCreated] }
        var defects: [APIKeyFault.Defect] = []
        if made.count > 1 { defects.append(.createdTwice) }
        if entry.name != key.name { defects.append(.nameChanged) }
        if entry.scopes != key.scopes { defects.append(.scopesChanged(from: entry.scopes ?? "")) }
        if entry.secretHash != key.secretHash { defects.append(.secretChanged) }
        if key.isRevoked, ended.isEmpty { defects.append(.notRevoked) }
        if !key.isRevoked, !ended.isEmpty { defects.append(.restored) }
        return defects
    }
}

/// An API key on which the table and the audit trail disagree.
package struct APIKeyFault: Hashable, Sendable, CustomStringConvertible {
    /// The defect of a key.
    package enum Defect: Hashable, Sendable, CustomStringConvertible {
        case notCreated
        case createdTwice
        case nameChanged
        case scopesChanged(from: String)
        case secretChanged
        /// The row says that the key is revoked, but the audit trail does not.
        case notRevoked
        /// The audit trail says that the key is revoked, but the row does not.
        case restored
        /// The audit trail has the key's creation, but the table does not have the key.
        case missing

        package var description: String {
            switch self {
            case .notCreated: "no entry of the trail made it"
            case .createdTwice: "two entries of the trail made it"
            case .nameChanged: "its name is not the one it was made with"
            case .scopesChanged(let scopes): "its scopes are not \(scopes), with which it was made"
            case .secretChanged: "its secret is not the one it was made with"
            case .notRevoked: "it is revoked, and no entry of the trail says so"
            case .restored: "it was revoked and counts again"
            case .missing: "the trail has it, and the table does not"
            }
        }
    }

    /// The key's id.
    package let key: UInt64
    package let defect: Defect

    package init(key: UInt64, defect: Defect) {
        self.key = key
        self.defect = defect
    }

    package var description: String { "api key \(key): \(defect)" }
}
