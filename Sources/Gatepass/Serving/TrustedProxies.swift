/// Finds a client's network behind trusted proxies (`http.trusted_proxies`).
struct TrustedProxies: Sendable {
    let ranges: [AddressRange]

    /// The network of the client. The address is that of `peer`; if that is a trusted proxy, it is the address that the
    /// proxy reports, and so on.
    ///
    /// Each proxy appends the address of its peer to the right of `X-Forwarded-For`. So the field is read from the
    /// right, up to the first address that is not trusted. A client can invent everything to the left of that. Text
    /// that is no address ends the search too.
    func network(of peer: String?, forwardedFor field: String?) -> [UInt8] {
        guard var address = peer.flatMap(IPAddress.init) else { return [] }
        for hop in (field ?? "").split(separator: ",").reversed() {
            guard ranges.contains(where: { $0.contains(address) }), let before = Self.address(hop) else { break }
            address = before
        }
        return address.network
    }

    /// The address of one entry. The entry may have a port; an IPv6 address with a port stands in brackets.
    private static func address(_ hop: Substring) -> IPAddress? {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.first == "[" { return IPAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return IPAddress(String(parts.count == 2 ? parts[0] : text))
    }
}
