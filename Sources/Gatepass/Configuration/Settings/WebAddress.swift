import Foundation

/// An absolute `http` or `https` URL with a host and without user, password or fragment.
struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The URL as the operator wrote it.
    let text: String

    /// Nil unless `text` is an absolute `http` or `https` URL with a host and without user, password or fragment.
    init?(_ text: String) {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
            ["http", "https"].contains(scheme.lowercased()), url.user == nil, url.password == nil, url.fragment == nil
        else { return nil }
        self.text = text
    }

    var description: String { text }

    var isEncrypted: Bool { text.lowercased().hasPrefix("https:") }

    /// True if the address leads to this machine, so that nobody can read the traffic.
    var isLoopback: Bool {
        let host = URLComponents(string: text)?.host ?? ""
        guard let address = IPAddress(host.trimmingCharacters(in: ["[", "]"])) else {
            return host.lowercased() == "localhost"
        }
        return address.isLoopback
    }

    /// The text as messages may show it. If it is no valid `WebAddress`, the part between the scheme and the last `@`
    /// is removed.
    static func withoutUser(_ text: String) -> String {
        guard WebAddress(text) == nil, let end = text.lastIndex(of: "@") else { return text }
        let scheme = text[..<end].range(of: "://").map { text[..<$0.upperBound] } ?? ""
        return String(scheme + text[text.index(after: end)...])
    }
}
