import Foundation

/// An absolute `http` or `https` URL with a host and without user, password or fragment.
struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The URL as it was written.
    let text: String

    /// Nil unless `text` is of the form above.
    init?(_ text: String) {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
            ["http", "https"].contains(scheme.lowercased()), url.user == nil, url.password == nil, url.fragment == nil
        else { return nil }
        self.text = text
    }

    var description: String { text }
}
