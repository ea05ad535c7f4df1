import Foundation

/// The origin of web pages (RFC 6454 §6.2), as browsers write it: scheme and host in lower case, and a port only where
/// it is not the scheme's own.
struct PageOrigin: Hashable, Sendable {
    private static let ownPorts = ["http": 80, "https": 443]

    let text: String

    /// The origin of the pages at a URL, which may also be written otherwise than by browsers. Nil for a text that is
    /// no URL with a host, such as `*`, `null` or `shop.example.com`.
    init?(_ text: String) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.encodedHost?.lowercased(), Self.isHost(host), (1...65_535).contains(url.port ?? 1)
        else { return nil }
        let port = url.port.flatMap { $0 == Self.ownPorts[scheme] ? nil : ":\($0)" } ?? ""
        self.text = "\(scheme)://\(host)\(port)"
    }

    /// True for a host name in ASCII or an IP address, and false for a pattern such as `*.example.com`.
    private static func isHost(_ text: String) -> Bool {
        let isBracketed = text.hasPrefix("[")
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"): isBracketed
                default: false
                }
            }
    }
}
