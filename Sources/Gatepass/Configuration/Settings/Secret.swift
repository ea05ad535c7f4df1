/// A secret text, never empty, that prints as a mask.
struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself; never logged.
    let text: String

    /// Nil for an empty text.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
    }

    /// True if there is nothing in it but blanks and line ends, as a template leaves it.
    var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
