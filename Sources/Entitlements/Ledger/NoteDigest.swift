/// The salted SHA-256 of a note. An entry holds nothing else of its note, and finds the note by it.
package struct NoteDigest: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
