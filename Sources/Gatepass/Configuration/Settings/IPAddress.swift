#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) becomes the IPv4 address.
struct IPAddress: Hashable, Sendable {
    /// 4 bytes for IPv4 or 16 for IPv6, in network order.
    let bytes: [UInt8]

    /// Nil unless `text` is just an address.
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

    /// The part of the address that identifies a client: all of an IPv4 address, or the first 64 bits of an IPv6
    /// address. A client gets any number of IPv6 addresses with the same 64 bits.
    var network: [UInt8] { Array(bytes.prefix(8)) }

    /// True for a loopback address (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
}
