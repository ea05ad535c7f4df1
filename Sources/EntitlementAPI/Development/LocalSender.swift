import HTTPTypes

/// The senders that may use the controls of a development server: programs of this machine, and pages of the server
/// itself.
///
/// A page of any site can have its own name lead to this machine (DNS rebinding). The browser then sends that name.
enum LocalSender {
    private static let hosts = ["localhost", "127.0.0.1", "[::1]"]

    /// - Throws: `invalid_request` if the `Host` is another name than this machine's, or the `Origin` another server's.
    static func require(_ request: HTTPRequest) throws(Problem) {
        let authority = request.authority?.lowercased() ?? ""
        guard hosts.contains(where: { isMeant($0, by: authority) }) else {
            throw .invalidRequest("The Host must be localhost, 127.0.0.1 or [::1].", at: "Host")
        }
        guard let origin = request.headerFields[.origin] else { return }
        guard origin.lowercased() == "http://" + authority else {
            throw .invalidRequest("Pages of other servers may not ask here.", at: "Origin")
        }
    }

    /// True if `authority` is `host`, with any port or none.
    private static func isMeant(_ host: String, by authority: String) -> Bool {
        guard authority.hasPrefix(host) else { return false }
        let port = authority.dropFirst(host.count)
        return port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy(\.isNumber)
    }
}
