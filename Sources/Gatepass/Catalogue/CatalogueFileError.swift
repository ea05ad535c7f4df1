/// All faults of a catalogue's text, in the order of its lines; never empty.
struct CatalogueFileError: Error, Hashable, Sendable, CustomStringConvertible {
    let faults: [Fault]

    /// A line for each fault: `file:line: what is wrong; write … instead`.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}
