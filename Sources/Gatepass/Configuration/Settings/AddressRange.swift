/// An IP address or a CIDR block such as `10.0.0.0/8` or `fd00::/8`.
struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// The range as the operator wrote it.
    let text: String
    private let address: IPAddress
    /// The number of leading bits that all addresses of the range share.
    private let prefixLength: Int

    /// Nil unless `text` is an IPv4 or IPv6 address, optionally followed by `/` and a prefix length.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        self.text = text
        self.address = address
        let bits = address.bytes.count * 8
        guard parts.count == 2 else {
            prefixLength = bits
            return
        }
        guard let length = Int(parts[1]), String(length) == parts[1], (0...bits).contains(length) else { return nil }
        prefixLength = length
    }

    var description: String { text }

    /// True if `other` lies in the range. An IPv4 address never lies in an IPv6 range, and vice versa.
    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let bits = min(max(prefixLength - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }
}
