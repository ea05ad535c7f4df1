/// All faults of a catalogue's text, in the order of its lines; never empty.
struct CatalogueFileError: Error, Hashable, Sendable, CustomStringConvertible {
    let faults: [Fault]

    /// The faults, one a line: `file:line: problem; remedy`.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}
