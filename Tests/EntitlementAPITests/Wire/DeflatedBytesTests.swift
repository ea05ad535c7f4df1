import Testing

@testable import EntitlementAPI

/// What is kept in less memory comes back byte for byte.
@Suite struct DeflatedBytesTests {
    private static func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }

    @Test(arguments: [0, 1, 2, 255, 4_095, 4_096, 4_097, 65_537, 300_000])
    func `any bytes come back as they were`(_ count: Int) throws {
        for bytes in [Self.noise(count), [UInt8](repeating: 7, count: count)] {
            #expect(try #require(DeflatedBytes(bytes)).bytes == bytes)
        }
    }

    @Test func `an answer about some purchases takes a third, and noise hardly more than it has`() throws {
        let purchases = (0..<6).map { number in
            """
            {"source":"apple_iap","external_id":"20000009876543\(number)","product_id":"com.airport.vpn.pass.30d",\
            "kind":"pass","tier":"pro","state":"queued","starts_at":"2026-0\(number + 1)-03T10:11:12.013Z"}
            """
        }
        let text = Array("[\(purchases.joined(separator: ","))]".utf8)
        #expect(try #require(DeflatedBytes(text)).keptCount * 3 < text.count)
        let noise = Self.noise(10_000)
        #expect(try #require(DeflatedBytes(noise)).keptCount < 10_200)
    }
}
