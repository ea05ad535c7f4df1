import Entitlements
import Foundation
import StoreSimulator
import Support
import Testing

@testable import AppStore

/// What a text is, whatever place it was sent to.
struct TextFormTests {
    private static let json = #"{"transactionId":"2000","bundleId":"com.example.app"}"#

    private static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func segment(_ text: String) -> String {
        encoded(text).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func signed(_ payload: String) -> String {
        [segment(#"{"alg":"ES256"}"#), segment(payload), "c2ln"].joined(separator: ".")
    }

    @Test func `a JWS is known by its segments, and its kind by its members`() {
        for (payload, kind) in [
            (Self.json, .transaction), (#"{"autoRenewStatus":1}"#, .renewalInfo),
            (#"{"notificationUUID":"x"}"#, .notification), (#"{"receiptType":"Sandbox"}"#, .appTransaction),
            (#"{"userLocale":"de"}"#, .retentionRequest), (#"{"sub":"u1"}"#, nil), ("{", nil), ("", nil),
        ] as [(String, PayloadKind?)] {
            #expect(TextForm(Self.signed(payload)) == .signed(kind), "\(payload)")
            guard payload.hasPrefix("{") else { continue }
            for text in [payload, "\n \(payload)\r\n"] { #expect(TextForm(text) == .decoded(kind), "\(payload)") }
        }
        #expect(TextForm(" \(Self.signed(Self.json))\n") == .signed(.transaction))
    }

    @Test func `a receipt is known as Apple, Xcode and iOS 6 wrote it, also with blanks in it`() throws {
        var receipt = SimulatedReceipt(["1001"])
        for isOfXcode in [false, true] {
            receipt.isOfXcode = isOfXcode
            #expect(TextForm(receipt.unsignedText) == .receipt)
        }
        #expect(try TextForm(receipt.text) == .receipt)
        let broken = receipt.unsignedText.enumerated().map { $0 % 64 == 63 ? "\($1)\r\n" : "\($1)" }
        #expect(TextForm(broken.joined()) == .receipt)
        let old = "{\n\t\"signature\" = \"AgIB\";\n\t\"purchase-info\" = \"e30=\";\n}"
        #expect(TextForm(Self.encoded(old)) == .receipt && TextForm(old) == nil)
    }

    @Test func `base64 and quotation marks around a text are told, up to three in all`() throws {
        let (jws, receipt) = (Self.signed(Self.json), SimulatedReceipt(["1001"]).unsignedText)
        for (text, form) in [
            (Self.encoded(jws), .encoded(.signed(.transaction))), (Self.encoded(receipt), .encoded(.receipt)),
            (Self.encoded(Self.json), .encoded(.decoded(.transaction))),
            (Self.segment(Self.json), .encoded(.decoded(.transaction))),
            (Self.encoded(#"{"name":"é"}"#), .encoded(.decoded(nil))),
            ("\"\(jws)\"", .quoted(.signed(.transaction))), ("'\(receipt)'", .quoted(.receipt)),
            ("\"\(Self.json)\"", .quoted(.decoded(.transaction))), (#""x""#, .quoted(nil)), (#""""#, .quoted(nil)),
            (Self.encoded("\"\(jws)\""), .encoded(.quoted(.signed(.transaction)))),
            (Self.encoded(Self.encoded(Self.encoded(jws))), nil),
        ] as [(String, TextForm?)] {
            #expect(TextForm(text) == form, "\(text.prefix(40))")
        }
    }

    @Test func `any other text has no form`() {
        let jws = Self.signed(Self.json)
        for text in [
            "", " ", "x", "\"", "'", ".", "..", "a.b.c", "AAAA", "receipt", "eyJ!", "é", "null", "[]", jws + ".x",
            String(jws.dropLast(5)), Self.encoded("no form"), String(repeating: "A", count: 100_000),
            Data([0x30, 0x82, 0x01]).base64EncodedString(),
        ] {
            #expect(TextForm(text) == nil, "\(text.prefix(40))")
        }
        #expect(TextForm(String(repeating: "\"", count: 1_000)) == .quoted(.quoted(.quoted(nil))))
    }
}
