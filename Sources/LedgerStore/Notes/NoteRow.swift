import Crypto
import Entitlements
import MariaDB

/// A row of `notes`: the words that belong to facts, found by their salted digest.
///
/// Ledger entries have only the digest, which their hashes cover. So the words can be deleted and the ledgers stay
/// verifiable (`semantics.md` §5).
struct NoteRow: Hashable, Sendable {
    let digest: NoteDigest
    /// The pseudonym of the person whom the note is about, and that of a second person.
    let subject: UInt64
    let otherSubject: UInt64?
    private let salt: [UInt8]
    private let content: String

    /// A note about the person under `subject`, and about a second person, if any.
    ///
    /// - Parameter salt: 16 bytes that nobody can guess.
    init(_ note: Note, about subject: UInt64, and otherSubject: UInt64?, salt: [UInt8]) {
        self.subject = subject
        self.otherSubject = otherSubject
        self.salt = salt
        content = note.content
        digest = Self.digest(of: content, salt: salt)
    }

    /// The SHA-256 over salt and words.
    static func digest(of content: String, salt: [UInt8]) -> NoteDigest {
        var encoder = FieldEncoder()
        encoder.append(salt)
        encoder.append(content)
        return NoteDigest(bytes: encoder.digest)
    }

    private static let insert = SQLStatement(
        "insert note",
        """
        INSERT INTO notes (digest, user_id, other_user_id, salt, content) VALUES (?, ?, ?, ?, ?)
        """)

    private static let byDigest = SQLStatement(
        "read notes",
        """
        SELECT n.digest, n.content
        FROM JSON_TABLE(?, '$[*]' COLUMNS (digest VARCHAR(64) CHARACTER SET ascii PATH '$')) j
        STRAIGHT_JOIN notes n ON n.digest = UNHEX(j.digest)
        """)

    /// Inserts notes.
    static func insert(_ notes: [NoteRow], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            insert,
            notes.map { note in
                [
                    .bytes(note.digest.bytes), .uint64(note.subject), Value(note.otherSubject), .bytes(note.salt),
                    .text(note.content),
                ]
            })
    }

    /// The notes with these digests that still exist.
    static func load(_ digests: Set<NoteDigest>, in session: Session) throws(DatabaseError) -> [NoteDigest: Note] {
        guard !digests.isEmpty else { return [:] }
        var array = JSONArray()
        for digest in digests { array.append(Hexadecimal.text(digest.bytes)) }
        var notes: [NoteDigest: Note] = [:]
        for row in try session.query(byDigest, [.text(array.closed)]) {
            guard let note = Note(content: try row.text(1)) else { throw row.malformed(1) }
            notes[NoteDigest(bytes: try row.bytes(0))] = note
        }
        return notes
    }
}

extension Note {
    /// The words of the note as a JSON array.
    fileprivate var content: String {
        JSONField.list([
            JSONField(actor), JSONField(reason), JSONField(reference), JSONField(device?.text),
            JSONField(deviceName?.text),
        ]).json
    }

    /// The note of a JSON array; nil for any other text.
    fileprivate init?(content: String) {
        guard case .list(let fields)? = JSONField(json: content), fields.count == 5 else { return nil }
        self.init(
            actor: fields.text(0), reason: fields.text(1), reference: fields.text(2),
            device: fields.text(3).flatMap { DeviceID($0) }, deviceName: fields.text(4).flatMap { DeviceName($0) })
    }
}
