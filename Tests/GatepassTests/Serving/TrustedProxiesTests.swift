import Testing

@testable import Gatepass

/// Whose request one is, when proxies stand before the server.
@Suite struct TrustedProxiesTests {
    private func network(_ peer: String?, _ field: String?, behind trusted: [String]) throws -> [UInt8] {
        let ranges = try trusted.map { try #require(AddressRange($0)) }
        return TrustedProxies(ranges: ranges).network(of: peer, forwardedFor: field)
    }

    @Test(
        arguments: [
            ("9.9.9.9", nil, [9, 9, 9, 9]),
            ("9.9.9.9", "1.2.3.4", [9, 9, 9, 9]),
            ("10.0.0.1", nil, [10, 0, 0, 1]),
            ("10.0.0.1", "1.2.3.4", [1, 2, 3, 4]),
            ("::ffff:10.0.0.1", "1.2.3.4", [1, 2, 3, 4]),
            ("10.0.0.1", "6.6.6.6, 1.2.3.4", [1, 2, 3, 4]),
            ("10.0.0.1", "6.6.6.6,1.2.3.4 ,\t10.0.0.7", [1, 2, 3, 4]),
            ("10.0.0.1", "10.0.0.9, 10.0.0.7", [10, 0, 0, 9]),
            ("10.0.0.1", "1.2.3.4:5678", [1, 2, 3, 4]),
            ("10.0.0.1", "6.6.6.6, unknown", [10, 0, 0, 1]),
            ("10.0.0.1", "2001:db8:1:2:3:4:5:6", [0x20, 1, 0x0D, 0xB8, 0, 1, 0, 2]),
            ("10.0.0.1", "[2001:db8:1:2::9]:443", [0x20, 1, 0x0D, 0xB8, 0, 1, 0, 2]),
            ("10.0.0.1", "", [10, 0, 0, 1]),
            (nil, "1.2.3.4", []),
        ] as [(String?, String?, [UInt8])])
    func `the client is the last whom no trusted proxy is`(
        _ peer: String?, _ field: String?, _ expected: [UInt8]
    ) throws {
        #expect(try network(peer, field, behind: ["10.0.0.0/8"]) == expected)
    }

    @Test func `while nobody is trusted, what is forwarded counts for nothing`() throws {
        #expect(try network("127.0.0.1", "1.2.3.4", behind: []) == [127, 0, 0, 1])
    }
}
