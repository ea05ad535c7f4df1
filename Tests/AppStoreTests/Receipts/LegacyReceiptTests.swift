import Entitlements
import Foundation
import StoreSimulator
import Support
import Testing

@testable import AppStore

/// Receipts of apps from before StoreKit 2: nothing in them is believed but the ids (`apple.md` §9.1).
struct LegacyReceiptTests {
    private static func read(_ receipt: SimulatedReceipt) throws -> [String] {
        guard case .app(let app) = try LegacyReceipt(receipt.unsignedText) else { return ["no app receipt"] }
        return app.purchases
    }

    private static func isRefused(_ bytes: [UInt8]) -> Bool {
        do throws(EvidenceError) {
            _ = try LegacyReceipt(Data(bytes).base64EncodedString())
            return false
        } catch {
            return error.reason == .malformed
        }
    }

    @Test func `the original ids of a receipt are read, each once, the largest first, as Apple and Xcode write them`()
        throws
    {
        var receipt = SimulatedReceipt()
        receipt.purchases = [
            .init("1000000692878476", of: "1000000692878476"), .init("1000000692878999", of: "1000000692878476"),
            .init("90", of: "90"), .init("1000000700000000", of: "1000000700000000"),
        ]
        for isOfXcode in [false, true] {
            receipt.isOfXcode = isOfXcode
            guard case .app(let app) = try LegacyReceipt(receipt.unsignedText) else {
                Issue.record("it is no app receipt")
                return
            }
            #expect(app.purchases == ["1000000700000000", "1000000692878476", "90"])
            #expect(app.bundleID == "com.example.app" && app.environment == .sandbox)
            #expect(app.createdAt == 1_768_003_200_000)
        }
    }

    @Test func `where the original id is missing or empty, the transaction id stands in`() throws {
        var receipt = SimulatedReceipt()
        receipt.purchases = [.init("7", of: nil), .init("8", of: ""), .init("", of: "9"), .init("", of: "")]
        #expect(try Self.read(receipt) == ["9", "8", "7"])
    }

    @Test func `ids that are no numbers are left out, and of many the largest stay`() throws {
        let odd = ["", "12a", "-1", "1.0", " 1", "0x1", "１", "123456789012345678901", "'; DROP TABLE users", "../1"]
        #expect(try Self.read(SimulatedReceipt(odd)) == [])
        #expect(try Self.read(SimulatedReceipt(odd + ["12345678901234567890"])) == ["12345678901234567890"])
        let many = try Self.read(SimulatedReceipt((1_000...1_300).map(String.init)))
        #expect(many == (1_201...1_300).reversed().map(String.init))
    }

    @Test func `a receipt without purchases holds no id`() throws {
        for isOfXcode in [false, true] {
            var receipt = SimulatedReceipt()
            receipt.isOfXcode = isOfXcode
            #expect(try Self.read(receipt) == [])
        }
    }

    @Test func `an attribute of another form spoils none of the others`() throws {
        var receipt = SimulatedReceipt(["1", "2"])
        let element = SimulatedReceipt.element
        let purchase = element(0x30, element(0x02, [17]) + element(0x02, [1]) + element(0x04, [0xFF, 0xFF, 0xFF]))
        receipt.more = element(0x30, []) + element(0x04, [1]) + purchase
        #expect(try Self.read(receipt) == ["2", "1"])
    }

    @Test func `spaces of a form become plus signs again, and line breaks go`() throws {
        // Purchases are added until the text has a plus sign.
        var receipt = SimulatedReceipt(["1"])
        for number in 2...200 where !receipt.unsignedText.contains("+") {
            receipt.purchases.append(.init(String(number), of: String(number)))
            receipt.more = SimulatedReceipt.element(0x04, [0xFB, 0xEF, 0xBE])
        }
        let text = receipt.unsignedText
        #expect(text.contains("+"))
        let sent = String(text.replacing("+", with: " ").enumerated().flatMap { $0 % 64 == 63 ? [$1, "\r\n"] : [$1] })
        #expect(throws: EvidenceError.self) { try LegacyReceipt(sent) }
        #expect(LegacyReceipt.repaired(sent) == text)
        #expect(LegacyReceipt.repaired("a\nb\rc d") == "abc+d")
    }

    @Test func `every truncation of a receipt is refused, and no byte that is changed does harm`() throws {
        for isOfXcode in [false, true] {
            var receipt = SimulatedReceipt(["1000000692878476"])
            receipt.isOfXcode = isOfXcode
            let bytes = receipt.unsigned
            for length in 0..<bytes.count { #expect(Self.isRefused(Array(bytes.prefix(length))), "\(length)") }
            for place in bytes.indices {
                for byte: UInt8 in [0x00, 0x80, 0xFF, bytes[place] ^ 0x01] {
                    var changed = bytes
                    changed[place] = byte
                    // `try?` takes any verdict: the reader must only come to one.
                    _ = try? LegacyReceipt(Data(changed).base64EncodedString())
                }
            }
        }
    }

    @Test func `another object identifier, other base64 and other texts are refused`() {
        var other = SimulatedReceipt(["1"])
        other.kind = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x03]
        #expect(Self.isRefused(other.unsigned))
        #expect(Self.isRefused(Array("{}".utf8)) && Self.isRefused(Array("receipt".utf8)) && Self.isRefused([]))
        for text in ["=", "AAA", "AA=A", "A-_A", "A A=", "é"] {
            #expect(throws: EvidenceError.self, "\(text)") { try LegacyReceipt(text) }
        }
    }

    @Test func `depth bombs and a great many elements are refused before they are parsed`() {
        let deep = (0..<40).reduce([UInt8]()) { inner, _ in SimulatedReceipt.element(0x30, inner) }
        let open = Array(repeatElement([0x30, 0x80] as [UInt8], count: 60_000).joined())
        let wide = Array(repeatElement([0x30, 0x00] as [UInt8], count: 393_000).joined())
        for bytes in [deep, open, SimulatedReceipt.element(0x30, wide), wide] { #expect(Self.isRefused(bytes)) }
        var receipt = SimulatedReceipt(["1"])
        receipt.more = wide
        #expect(Self.isRefused(receipt.unsigned))
        receipt.more = deep
        #expect(Self.isRefused(receipt.unsigned))
        #expect(!BERBounds.hold([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]) && !BERBounds.hold([0x3F, 0x80, 0x80]))
        #expect(BERBounds.hold([0x30, 0x80, 0x04, 0x00, 0x00, 0x00]) && BERBounds.hold([0x30, 0x02, 0x04, 0x00]))
    }

    @Test func `a receipt of iOS 6 is told from the others`() throws {
        let text = "{\n\t\"signature\" = \"AaB=\";\n\t\"purchase-info\" = \"ewoJ\";\n\t\"pod\" = \"100\";\n}"
        #expect(try LegacyReceipt(Data(text.utf8).base64EncodedString()) == .transaction)
    }
}
