import AppStore
import Entitlements
import FoundationEssentials
import StrictJSON
import Testing

@testable import EntitlementAPI

struct JSONWriterTests {
    @Test func `structure gets its commas`() {
        var json = JSONWriter()
        json.beginObject()
        json.member("a", 1)
        json.member("b", String?.none)
        json.name("c")
        json.array([true, false]) { $0.value($1) }
        json.name("d")
        json.beginObject()
        json.endObject()
        json.member("e", exactly: "e_ms", Instant(milliseconds: 1))
        json.endObject()
        let text = #"{"a":1,"b":null,"c":[true,false],"d":{},"e":"1970-01-01T00:00:00Z","e_ms":1}"#
        #expect(String(decoding: json.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        (Int64.max, 253_402_300_799_999, "9999-12-31T23:59:59Z"),
        (253_402_300_800_000, 253_402_300_799_999, "9999-12-31T23:59:59Z"),
        (253_402_300_799_999, 253_402_300_799_999, "9999-12-31T23:59:59Z"),
        (253_402_300_799_001, 253_402_300_799_001, "9999-12-31T23:59:59Z"),
        (-62_135_596_800_000, -62_135_596_800_000, "0001-01-01T00:00:00Z"),
        (Int64.min, -62_135_596_800_000, "0001-01-01T00:00:00Z"),
    ])
    func `the text of an instant and its milliseconds are one instant, also past the year 9999`(
        milliseconds: Int64, exactly: Int64, text: String
    ) throws {
        var json = JSONWriter()
        json.beginObject()
        json.member("e", exactly: "e_ms", Instant(milliseconds: milliseconds))
        json.endObject()
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"e":"\#(text)","e_ms":\#(exactly)}"#)
    }

    @Test func `every text is read back by another parser`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let limit: UInt32 = [0x20, 0x7F, 0x2FFF, 0x10FFFF][Int.random(in: 0..<4, using: &generator)]
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) {
                    text.unicodeScalars.append(scalar)
                }
            }
            var json = JSONWriter()
            json.array([text, "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}"]) { $0.value($1) }
            let read = try JSONDecoder().decode([String].self, from: Data(json.bytes))
            #expect(read.first.map { Array($0.utf8) } == Array(text.utf8))
            #expect(try JSONBody(json.bytes).value.elements?.first?.string == text)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 7, Int.max])
    func `numbers are written whole`(number: Int) throws {
        var json = JSONWriter()
        json.array([number]) { $0.value($1) }
        #expect(try JSONDecoder().decode([Int].self, from: Data(json.bytes)) == [number])
    }
}
