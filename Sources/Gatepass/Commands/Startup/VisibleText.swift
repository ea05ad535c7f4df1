/// Foreign text on one line, with invisible characters escaped.
enum VisibleText {
    /// Escapes control characters, format characters, line separators and backslashes as Swift does.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += escape($1) ?? String($1) }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\n": return #"\n"#
        case "\r": return #"\r"#
        case "\t": return #"\t"#
        case "\\": return #"\\"#
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            return #"\u{\#(String(scalar.value, radix: 16, uppercase: true))}"#
        default: return nil
        }
    }
}
