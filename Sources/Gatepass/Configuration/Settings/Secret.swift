/// A secret text, never empty. Printing it shows a mask.
struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text, which is never logged.
    let text: String

    /// Nil for an empty text.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
    }

    /// True if the text is only white space, as a template leaves it.
    var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
