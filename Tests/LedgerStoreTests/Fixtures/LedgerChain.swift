import Crypto
import MariaDB
import Support

/// Recomputes the ledgers' hash chains from the tables alone, apart from the product's code.
struct LedgerChain {
    private static let entries = """
        SELECT l.user_id, l.seq, l.recorded_at, l.effective_at, l.kind, l.is_own_act, l.purchase_id, l.state_id,
            l.content, l.note_digest, l.hash, u.ledger_length, u.head_hash, t.statement, n.salt, n.content,
            l.purchase_id IS NOT NULL AND NOT (
                CONCAT_WS(' ', p.source, p.app, p.environment, p.external_id) <=> CONCAT_WS(' ',
                    JSON_VALUE(l.content, '$[0][0]'), JSON_VALUE(l.content, '$[0][1]'),
                    JSON_VALUE(l.content, '$[0][2]'), JSON_VALUE(l.content, '$[0][3]')))
        FROM ledger_entries l JOIN users u ON u.pseudonym = l.user_id
        LEFT JOIN purchases p ON p.id = l.purchase_id
        LEFT JOIN apple_iap_transactions t ON t.id = l.state_id LEFT JOIN notes n ON n.digest = l.note_digest
        ORDER BY l.user_id, l.seq
        """

    /// The users whose ledger does not lead to its head, and why; empty when every chain holds.
    /// Throws what the database throws.
    static func faults(in schema: TestSchema) async throws -> [String] {
        var faults: [String] = []
        var last: [Value: (sequence: Int64, hash: Value)] = [:]
        var heads: [Value: (length: Value, hash: Value)] = [:]
        for row in try await schema.rows(entries) {
            let user = row[0]
            let previous = last[user] ?? (0, .bytes([UInt8](repeating: 0, count: 32)))
            let sequence = integer(row[1])
            if sequence != previous.sequence + 1 { faults.append("\(user): \(previous.sequence) then \(sequence)") }
            if row[7] != nil, row[13] != row[8] { faults.append("\(user): state of \(sequence)") }
            if row[9] != nil, digest([row[14], row[15]]) != row[9] { faults.append("\(user): note of \(sequence)") }
            if integer(row[16]) != 0 { faults.append("\(user): purchase of \(sequence)") }
            if digest([previous.hash] + Array(row[0...8]) + (row[9] == nil ? [] : [row[9]])) != row[10] {
                faults.append("\(user): hash of \(sequence)")
            }
            last[user] = (sequence, row[10])
            heads[user] = (row[11], row[12])
        }
        for (user, head) in heads {
            let end = last[user]
            if end?.sequence != integer(head.length) || end?.hash != head.hash { faults.append("\(user): head") }
        }
        let missing = """
            SELECT COUNT(*) FROM users u
            WHERE ledger_length > (SELECT COUNT(*) FROM ledger_entries l WHERE l.user_id = u.pseudonym)
            """
        if try await schema.number(missing) > 0 { faults.append("entries are missing") }
        let strays = "SELECT COUNT(*) FROM ledger_entries WHERE user_id NOT IN (SELECT pseudonym FROM users)"
        if try await schema.number(strays) > 0 { faults.append("entries are nobody's") }
        return faults
    }

    private static func digest(_ fields: [Value]) -> Value {
        var bytes: [UInt8] = []
        for field in fields {
            let content: [UInt8]? =
                switch field {
                case .null, .double: nil
                case .int64(let number): withUnsafeBytes(of: number.bigEndian, Array.init)
                case .uint64(let number): withUnsafeBytes(of: number.bigEndian, Array.init)
                case .text(let text): Array(text.utf8)
                case .bytes(let bytes): bytes
                }
            withUnsafeBytes(of: (content.map { UInt32($0.count) } ?? .max).bigEndian) { bytes += Array($0) }
            bytes += content ?? []
        }
        return .bytes(Array(SHA256.hash(data: bytes)))
    }

    private static func integer(_ value: Value) -> Int64 {
        switch value {
        case .int64(let number): number
        case .uint64(let number): Int64(number)
        case .null, .double, .text, .bytes: -1
        }
    }
}
