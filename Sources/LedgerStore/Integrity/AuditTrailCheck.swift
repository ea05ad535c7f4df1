package import MariaDB

/// Walks the audit trail from its first entry and says what does not fit.
///
/// The chain finds an entry that was edited, taken out, put in or moved; the head finds a trail that was cut off at its
/// end; a head that was exported finds one that was written anew, head and all.
package struct AuditTrailCheck: Sendable {
    /// The defect of an entry.
    package enum Defect: Hashable, Sendable, CustomStringConvertible {
        /// The entry that should follow is not there.
        case missing(id: UInt64)
        /// The entry is not what its hash covers.
        case edited(id: UInt64)
        /// The entry does not continue the one before it.
        case unlinked(id: UInt64)
        /// The words of the entry are not what its digest covers.
        case noteEdited(id: UInt64)
        /// The words of the entry are gone, and no erasure after it took them.
        case noteMissing(id: UInt64)
        /// The head does not stand at the last entry.
        case headMismatch(last: UInt64, head: UInt64)
        /// The trail does not reach the exported head, or was another then.
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
        /// Entries whose words are gone.
        package let erased: Int
        /// The first of each kind that was met, in the order of the entries; empty when the trail is whole.
        package let defects: [Defect]
    }

    /// How many entries one statement reads.
    private static let batch = 1_000
    /// After this many defects the rest tells nothing new.
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

    /// Verifies the trail, also against a head that was exported earlier. Throws when the database is away.
    package static func run(
        from pool: Pool, against export: ExportedAuditHead? = nil
    ) async throws(ServiceFailure) -> Outcome {
        // Read first: what is appended meanwhile lies behind it.
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

    /// Entries behind the head belong there only if the head has moved since.
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
