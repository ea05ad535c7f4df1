/// Why a text is not a ``StrictJSON``.
package enum JSONDefect: Error, Hashable, Sendable {
    /// Not the grammar of RFC 8259, at this byte.
    case syntax(at: Int)
    /// A string is not UTF-8 (RFC 3629), at this byte.
    case encoding(at: Int)
    /// An escaped surrogate without its partner, at this byte.
    case loneSurrogate(at: Int)
    /// Two members of one object have the same name.
    case duplicateName
    /// Deeper than ``StrictJSON/maximumDepth``.
    case tooDeep
    /// An object has more members than ``StrictJSON/maximumNames``.
    case tooManyNames
    /// A name is longer than ``StrictJSON/maximumNameBytes``, at this byte.
    case nameTooLong(at: Int)

    /// True if the text has one reading, and only names that are too many or too long.
    package var isOfNames: Bool {
        switch self {
        case .tooManyNames, .nameTooLong: true
        case .syntax, .encoding, .loneSurrogate, .duplicateName, .tooDeep: false
        }
    }
}
