import Crypto
import MariaDB
import Support

/// Recomputes the ledgers' hash chains from the tables alone, apart from the product's code.
struct LedgerChain {
    private static let entries = """
        SELECT l.user_id, l.seq, l.recorded_at, l.effective_at, l.kind, l.hash, u.ledger_length, u.head_hash,
            p.source, p.app, p.environment, p.external_id,
            t.transaction_id, t.period_id, t.product_id, t.product_type, t.purchase_at, t.original_purchase_at,
            t.expires_at, t.quantity, t.is_family_shared, t.is_upgraded, t.revocation_at, t.share,
            t.app_account_token, t.app_transaction_id, t.signed_at, t.content_hash, l.content, l.note, l.note_salt,
            l.note_hash
        FROM ledger_entries l JOIN users u ON u.pseudonym = l.user_id LEFT JOIN purchases p ON p.id = l.purchase_id
        LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
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
            if row[4] == "evidence", content(row) != row[27] { faults.append("\(user): content of \(sequence)") }
            if row[29] == nil, row[31] != nil { faults.append("\(user): no note of \(sequence)") }
            if row[29] != nil, digest([row[30], row[29]]) != row[31] { faults.append("\(user): note of \(sequence)") }
            if hash(row, after: previous.hash) != row[5] { faults.append("\(user): hash of \(sequence)") }
            last[user] = (sequence, row[5])
            heads[user] = (row[6], row[7])
        }
        for (user, head) in heads {
            let end = last[user]
            if end?.sequence != integer(head.length) || end?.hash != head.hash { faults.append("\(user): head") }
        }
        let missing =
            "SELECT COUNT(*) FROM users u WHERE ledger_length > (SELECT COUNT(*) FROM ledger_entries l WHERE l.user_id = u.pseudonym)"
        if try await schema.number(missing) > 0 { faults.append("entries are missing") }
        let strays = "SELECT COUNT(*) FROM ledger_entries WHERE user_id NOT IN (SELECT pseudonym FROM users)"
        if try await schema.number(strays) > 0 { faults.append("entries are nobody's") }
        return faults
    }

    private static func hash(_ row: [Value], after previous: Value) -> Value {
        let purchase = row[8] == nil ? [] : Array(row[8...11])
        let tail = row[4] == "evidence" ? [row[27], row[26]] : purchase
        let said = row[28] == nil && row[31] == nil ? [] : [row[28], row[31]]
        return digest([previous, row[0], row[1], row[2], row[3], row[4]] + tail + said)
    }

    /// The account token stands in the hash as its text.
    private static func content(_ row: [Value]) -> Value {
        var fields = Array(row[8...25])
        if case .bytes(let token) = fields[16] { fields[16] = .text(hyphenated(token)) }
        return digest(fields)
    }

    private static func hyphenated(_ token: [UInt8]) -> String {
        token.enumerated().map { position, byte in
            let digits = String(byte, radix: 16)
            return ([4, 6, 8, 10].contains(position) ? "-" : "") + (digits.count == 1 ? "0" : "") + digits
        }.joined()
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
