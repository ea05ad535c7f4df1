/// A table as comma-separated values (RFC 4180) that no spreadsheet reads as formulas.
struct CSVText {
    /// The characters with which a cell begins that a spreadsheet would compute. Some read the full-width forms as the
    /// ASCII ones.
    private static let beginnings: Set<UnicodeScalar> = [
        "=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    private(set) var text = ""

    /// Appends a record.
    mutating func append(_ cells: [String]) {
        text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
    }

    /// A cell in quotes where it needs them. A cell that a spreadsheet would compute begins with an apostrophe; so does
    /// a part behind a semicolon or a tab, at which spreadsheets of some countries split a line.
    static func cell(_ text: String) -> String {
        var (scalars, isAtStart) = (String.UnicodeScalarView(), true)
        for scalar in text.unicodeScalars {
            if isAtStart, beginnings.contains(scalar) { scalars.append("'") }
            isAtStart = [";", "\t", "\r", "\n"].contains(scalar) || isAtStart && scalar == " "
            scalars.append(scalar)
        }
        guard scalars.contains(where: { ["\"", ",", "\r", "\n"].contains($0) }) else { return String(scalars) }
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in scalars {
            if scalar == "\"" { quoted.append("\"") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
