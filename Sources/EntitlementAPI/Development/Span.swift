import Entitlements

/// A length of time as people write it: `40d`, `12h`, `1d12h30m`.
package struct Span: Hashable {
    private static let units: [(letter: Character, milliseconds: Int64)] = [
        ("w", 7 * Instant.millisecondsPerDay), ("d", Instant.millisecondsPerDay), ("h", Instant.millisecondsPerHour),
        ("m", 60_000), ("s", 1_000),
    ]

    package let milliseconds: Int64

    /// A length of time; nil if it is shorter than a second.
    package init?(milliseconds: Int64) {
        guard milliseconds >= 1_000 else { return nil }
        self.milliseconds = milliseconds
    }

    /// The length in days, hours, minutes and seconds; a fraction of a second is cut off.
    package var text: String {
        var rest = milliseconds
        var text = ""
        for (letter, length) in Self.units.dropFirst() where rest >= length {
            text += "\(rest / length)\(letter)"
            rest %= length
        }
        return text
    }

    /// Reads a length of time. Nil unless `text` is a row of numbers with units, larger units first, and more than
    /// zero.
    package init?(_ text: String) {
        var rest = text[...]
        var units = Self.units[...]
        var sum: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard digits.count <= 9, let number = Int64(digits), let letter = rest.popFirst(),
                let position = units.firstIndex(where: { $0.letter == letter })
            else { return nil }
            sum += number * units[position].milliseconds
            units = units[(position + 1)...]
        }
        guard sum > 0 else { return nil }
        milliseconds = sum
    }
}
