#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IPv4 or IPv6 address; an IPv4 address that is written as an IPv6 one (RFC 4291 §2.5.5.2) is the IPv4 address.
struct IPAddress: Hashable, Sendable {
    /// 4 bytes (IPv4) or 16 (IPv6), in network order.
    let bytes: [UInt8]

    /// Nil unless `text` is an address and nothing else.
    init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = bytes
            return
        }
        bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes[12...]) : bytes
    }

    /// The network of a client: an IPv4 address, or the 64 bits of an IPv6 network, within which addresses cost
    /// nothing.
    var network: [UInt8] { Array(bytes.prefix(8)) }

    /// True if it is of the machine itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
}
