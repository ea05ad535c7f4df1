/// Tells where a request came from, through the proxies that are trusted to say so (`http.trusted_proxies`).
struct TrustedProxies: Sendable {
    let ranges: [AddressRange]

    /// The network of the client: of `peer`, or while that is a trusted proxy, of the address for which the proxy says
    /// it speaks.
    ///
    /// Each proxy adds the address that it heard to the right of `X-Forwarded-For`, so all left of the first untrusted
    /// address is a client's own invention. Text that is no address ends the way too.
    func network(of peer: String?, forwardedFor field: String?) -> [UInt8] {
        guard var address = peer.flatMap(IPAddress.init) else { return [] }
        for hop in (field ?? "").split(separator: ",").reversed() {
            guard ranges.contains(where: { $0.contains(address) }), let before = Self.address(hop) else { break }
            address = before
        }
        return address.network
    }

    /// The address of one hop, which may come with a port, and then in brackets if it is of IPv6.
    private static func address(_ hop: Substring) -> IPAddress? {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.first == "[" { return IPAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return IPAddress(String(parts.count == 2 ? parts[0] : text))
    }
}
