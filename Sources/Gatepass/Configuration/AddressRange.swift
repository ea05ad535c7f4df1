#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IP address or a CIDR block such as `10.0.0.0/8` or `fd00::/8`.
struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// The range as it was written.
    let text: String
    /// 4 bytes (IPv4) or 16 (IPv6), in network order.
    let bytes: [UInt8]
    /// How many leading bits count: 0 through 8 × the number of bytes.
    let prefixLength: Int

    /// Nil unless `text` is an IPv4 or IPv6 address, with an optional `/` and prefix length.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, let bytes = Self.bytes(ofAddress: String(address)) else { return nil }
        self.text = text
        self.bytes = bytes
        guard parts.count == 2 else {
            prefixLength = bytes.count * 8
            return
        }
        guard let length = Int(parts[1]), String(length) == parts[1], (0...bytes.count * 8).contains(length) else {
            return nil
        }
        prefixLength = length
    }

    var description: String { text }

    /// Whether `address`, an IPv4 or IPv6 address, lies in the range; addresses of the other family never do.
    func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(ofAddress: address), other.count == bytes.count else { return false }
        return zip(bytes, other).enumerated().allSatisfy { index, pair in
            let bits = min(max(prefixLength - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }

    private static func bytes(ofAddress text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &bytes) == 1 { return bytes }
        bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, text, &bytes) == 1 { return bytes }
        return nil
    }
}
