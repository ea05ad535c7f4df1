/// Everything that is wrong with a catalogue's text, in the order of its lines; never empty.
struct CatalogueFileError: Error, Hashable, Sendable, CustomStringConvertible {
    let faults: [Fault]

    /// One fault a line: `file:line: what is wrong; write … instead`.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}
