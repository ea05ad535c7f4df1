package import MariaDB

/// Verifies the audit trail from its first entry and reports its defects.
///
/// The chain of hashes shows entries that were edited, removed, inserted or moved. The head shows a trail that was cut
/// off at its end. An exported head shows a trail that was rewritten together with its head.
package struct AuditTrailCheck: Sendable {
    /// The defect of an entry.
    package enum Defect: Hashable, Sendable, CustomStringConvertible {
        /// The next number has no entry.
        case missing(id: UInt64)
        /// The content of the entry does not match its hash.
        case edited(id: UInt64)
        /// The entry's previous hash is not the hash of the entry before it, or its instant is earlier.
        case unlinked(id: UInt64)
        /// The note of the entry does not match its digest.
        case noteEdited(id: UInt64)
        /// The note of the entry is gone, and no later erasure can have removed it.
        case noteMissing(id: UInt64)
        /// The head does not name the last entry.
        case headMismatch(last: UInt64, head: UInt64)
        /// The trail does not have the exported entry, or has another entry of that number.
        case exportMismatch(length: UInt64)

        package var description: String {
            switch self {
            case .missing(let id): "entry \(id) is missing"
            case .edited(let id): "entry \(id) was edited"
            case .unlinked(let id): "entry \(id) does not continue the one before it"
            case .noteEdited(let id): "the words of entry \(id) were edited"
            case .noteMissing(let id): "the words of entry \(id) are gone, and nobody's erasure took them"
            case .headMismatch(let last, let head): "the entries end at \(last), the head stands at \(head)"
            case .exportMismatch(let length): "the trail is not the one whose entry \(length) was exported"
            }
        }
    }

    /// The result of the check.
    package struct Outcome: Hashable, Sendable {
        package let head: AuditHead
        /// The number of entries whose notes were erased.
        package let erased: Int
        /// The first defects, in the order of the entries; empty if the trail is whole.
        package let defects: [Defect]
    }

    /// The number of entries that one statement reads.
    private static let batch = 1_000
    /// The most defects that are reported; more would tell nothing new.
    private static let maximumDefects = 20

    private let export: ExportedAuditHead?
    private var last = AuditHead.empty
    private var erased = 0
    private var defects: [Defect] = []
    private var isExportMet: Bool

    private init(export: ExportedAuditHead?) {
        self.export = export
        isExportMet = export.map { $0.length == 0 && $0.hash == AuditHead.empty.hash } ?? true
    }

    /// Verifies the trail, and compares it with a head that was exported earlier, if one is given. Throws when the
    /// database is away.
    package static func run(
        from pool: Pool, against export: ExportedAuditHead? = nil
    ) async throws(ServiceFailure) -> Outcome {
        // The head is read first, so that entries appended meanwhile are not checked.
        let head = try await AuditTrail.head(from: pool)
        var check = AuditTrailCheck(export: export)
        var isAtEnd = false
        while !isAtEnd {
            let id = check.last.length
            let entries = try await pool.ask { (session) throws(DatabaseError) in
                try AuditEntryRow.chain(after: id, limit: batch, in: session)
            }
            entries.filter { $0.link.id <= head.length }.forEach { check.judge($0) }
            isAtEnd = entries.count < batch || check.last.length >= head.length
            if isAtEnd { try await check.judgeEnd(head, from: pool) }
        }
        return Outcome(head: head, erased: check.erased, defects: check.defects)
    }

    private mutating func judge(_ entry: AuditEntryRow.Stored) {
        let link = entry.link
        if link.id != last.length + 1 {
            note(.missing(id: last.length + 1))
        } else if link.previousHash != last.hash || link.at < last.lastAt {
            note(.unlinked(id: link.id))
        }
        if link.hash != entry.hash { note(.edited(id: link.id)) }
        if let words = entry.note {
            if words.digest != link.detailsDigest { note(.noteEdited(id: link.id)) }
        } else if entry.mayBeErased {
            erased += 1
        } else {
            note(.noteMissing(id: link.id))
        }
        if let export, export.length == link.id { isExportMet = export.hash == link.hash && export.hash == entry.hash }
        last = AuditHead(length: link.id, lastAt: link.at, hash: entry.hash)
    }

    /// Checks the end of the trail. Entries after the head are right only if the head has moved since it was read.
    private mutating func judgeEnd(_ head: AuditHead, from pool: Pool) async throws(ServiceFailure) {
        let beyond = try await pool.ask { (session) throws(DatabaseError) in
            let entries = try AuditEntryRow.chain(after: head.length, limit: 1, in: session)
            return (entries.first?.link.id, try AuditHeadRow.read(in: session).length)
        }
        if let id = beyond.0, beyond.1 < id {
            note(.headMismatch(last: id, head: beyond.1))
        } else if last.length != head.length || last.hash != head.hash {
            note(.headMismatch(last: last.length, head: head.length))
        }
        if let export, !isExportMet { note(.exportMismatch(length: export.length)) }
    }

    private mutating func note(_ defect: Defect) {
        guard defects.count < Self.maximumDefects else { return }
        defects.append(defect)
    }
}
