/// A link to a page of the dashboard. It cannot lead anywhere else, whatever its parts are.
package struct Link: Sendable, Hashable {
    package private(set) var text: String

    /// A link to the path of these parts below `/dashboard`.
    package init(_ parts: String..., query: [(name: String, value: String)] = [], fragment: String = "") {
        var text = "/dashboard"
        for part in parts { text += "/" + Self.encoded(part) }
        let pairs = query.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }
        if !pairs.isEmpty { text += "?" + pairs.joined(separator: "&") }
        if !fragment.isEmpty { text += "#" + Self.encoded(fragment) }
        self.text = text
    }

    /// A link to a place on the same page.
    package init(fragment: String) { text = "#" + Self.encoded(fragment) }

    /// A link back to a page of the dashboard that was asked for before the sign-in; nil for any other text.
    init?(returningTo text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path == "/dashboard" || path.hasPrefix("/dashboard/"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        self.text = text
    }

    /// This link with further fields in its query.
    func adding(_ query: [(name: String, value: String)]) -> Link {
        var link = self
        for pair in query {
            link.text +=
                (link.text.contains("?") ? "&" : "?") + Self.encoded(pair.name) + "=" + Self.encoded(pair.value)
        }
        return link
    }

    /// Returns the text with every byte escaped but those that are unreserved in a URL (RFC 3986 §2.3). A part that is
    /// only dots would be taken out of the path, so its dots are escaped too.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let isDots = text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte), !isDots {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
