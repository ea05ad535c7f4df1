/// A salted SHA-256 of a note: all that an entry has of it, and what finds the words while they are there.
package struct NoteDigest: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
