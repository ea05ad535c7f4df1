/// The reason why a text is not a ``StrictJSON``. A position is the offset of a byte.
package enum JSONDefect: Error, Hashable, Sendable {
    /// The text breaks the grammar of RFC 8259 at this byte.
    case syntax(at: Int)
    /// A string is not valid UTF-8 (RFC 3629) at this byte.
    case encoding(at: Int)
    /// An escaped surrogate stands without its partner at this byte.
    case loneSurrogate(at: Int)
    /// Two members of one object have the same name.
    case duplicateName
    /// The nesting is deeper than ``StrictJSON/maximumDepth``.
    case tooDeep
    /// An object has more members than ``StrictJSON/maximumNames``.
    case tooManyNames
    /// A name that begins at this byte is longer than ``StrictJSON/maximumNameBytes``.
    case nameTooLong(at: Int)

    /// True if the text has only one meaning, and is refused only because names are too many or too long.
    package var isOfNames: Bool {
        switch self {
        case .tooManyNames, .nameTooLong: true
        case .syntax, .encoding, .loneSurrogate, .duplicateName, .tooDeep: false
        }
    }
}
