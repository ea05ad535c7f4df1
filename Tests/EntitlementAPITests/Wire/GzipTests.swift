import Testing

@testable import EntitlementAPI

/// What is gzip is read whole, and nothing else is.
@Suite struct GzipTests {
    private static let text = Array(#"{"signedTransactions":["a.b.c","d.e.f"],"other":"0123456789"}"#.utf8)

    private func defect(of bytes: [UInt8], limit: Int = 1 << 20) -> Gzip.Defect? {
        do throws(Gzip.Defect) {
            _ = try Gzip.decoded(bytes, limit: limit)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0, 1, 255, 32_767, 32_768, 32_769, 300_000])
    func `any bytes come back as they were`(_ count: Int) throws {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
        #expect(try Gzip.decoded(try #require(Gzip.encoded(bytes)), limit: max(1, count)) == bytes)
    }

    @Test func `a member that ends early is cut off, wherever it ends`() throws {
        let whole = try #require(Gzip.encoded(Self.text))
        for count in whole.indices { #expect(defect(of: Array(whole[..<count])) == .cutOff, "\(count)") }
    }

    @Test func `what follows a member, be it another one, is refused`() throws {
        let whole = try #require(Gzip.encoded(Self.text))
        #expect(defect(of: whole) == nil)
        #expect(defect(of: whole + [0]) == .malformed)
        #expect(defect(of: whole + whole) == .malformed)
    }

    @Test func `a wrong checksum or length, another method and what is no gzip are refused`() throws {
        let whole = try #require(Gzip.encoded(Self.text))
        for changed in [0, 1, 2, whole.count - 8, whole.count - 5, whole.count - 4, whole.count - 1] {
            var bytes = whole
            bytes[changed] ^= 1
            #expect(defect(of: bytes) == .malformed, "byte \(changed)")
        }
        #expect(defect(of: Self.text) == .malformed)
        let zlib: [UInt8] = [0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01]  // RFC 1950, of nothing
        #expect(defect(of: zlib) == .malformed)
    }

    @Test func `the limit holds on decoded bytes`() throws {
        let whole = try #require(Gzip.encoded(Self.text))
        #expect(defect(of: whole, limit: Self.text.count) == nil)
        #expect(defect(of: whole, limit: Self.text.count - 1) == .tooLarge)
    }

    @Test func `a hundred times its own bytes is what a member may have`() throws {
        let bomb = try #require(Gzip.encoded([UInt8](repeating: 0, count: 1 << 20)))
        #expect(bomb.count * Gzip.maximumRatio < 1 << 20)
        #expect(defect(of: bomb) == .tooLarge)
        let dense = try #require(Gzip.encoded((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }))
        #expect(defect(of: dense) == nil)
    }
}
