import Entitlements
import Foundation
import Testing

@testable import Gatepass

/// What is no StoreKit configuration file, or has a product that no catalogue may have: the line, the words and the
/// remedy.
@Suite struct StoreKitFileTests {
    private static let name = "; name the .storekit file of your Xcode project"
    private static let mend = "; mend it there, or have Xcode save the file again"
    private static let noVersion = "this JSON has no version.major, which every StoreKit configuration file has"
    private static let noID =
        "a product has no productID that is an id; write 1 to 255 printable ASCII characters without spaces"

    /// A receipt by its first bytes: PKCS#7 with signed data.
    private static let receipt = Data([0x30, 0x80, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2])
        .base64EncodedString()

    private static let empty = "this is an empty file, and no StoreKit configuration file"

    static let others: [(String, String)] = [
        ("", "s: \(empty)\(name)"), (" \n\t", "s: \(empty)\(name)"), ("\u{FEFF}", "s: \(empty)\(name)"),
        (
            "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
            "s: this is a text that the App Store signed, and no StoreKit configuration file\(name)"
        ),
        (receipt, "s: this is a receipt of the App Store, and no StoreKit configuration file\(name)"),
        (
            CatalogueRefusalTests.right,
            "s: this is YAML, such as a catalogue, and no StoreKit configuration file\(name)"
        ),
        ("<?xml version='1.0'?>", "s:1: this is not well-formed JSON\(mend)"),
        ("{\n\"version\": {\"major\": 3},\n}", "s:3: this is not well-formed JSON\(mend)"),
        ("{\"version\": {\"major\": 3}", "s:1: this is not well-formed JSON\(mend)"),
        ("\u{FEFF}{\"version\": {\"major\": 3}}", "s:1: this is not well-formed JSON\(mend)"),
        ("{\"version\": {\"major\": 3}, \"a\":\n\"\\ud800\"}", "s:2: this is not UTF-8 text\(mend)"),
        (
            "{\"version\": {\"major\": 3}, \"version\": {\"major\": 3}}",
            "s: two members of one object have the same name\(name)"
        ),
        ("{}", "s: \(noVersion)\(name)"), ("[]", "s: \(noVersion)\(name)"), ("\"a\"", "s: \(noVersion)\(name)"),
        ("{\"version\": 3}", "s: \(noVersion)\(name)"), ("{\"version\": {}}", "s: \(noVersion)\(name)"),
        ("{\"version\": {\"major\": \"3\"}}", "s: \(noVersion)\(name)"),
        ("{\"version\": {\"major\": 0}}", "s: \(noVersion)\(name)"),
        ("{\"version\": {\"major\": 3.0}}", "s: \(noVersion)\(name)"),
        ("{\"version\": {\"major\": 99999999999999999999}}", "s: \(noVersion)\(name)"),
    ]

    @Test(arguments: others)
    func `a text that is no such file is refused, and said what it is`(_ text: String, _ fault: String) {
        #expect(Self.fault(of: Array(text.utf8)) == fault)
    }

    @Test func `bytes that are no UTF-8 are refused at their line`() {
        let bytes = Array("{\"version\": {\"major\": 3},\n\"a\": \"".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(Self.fault(of: bytes) == "s:2: this is not UTF-8 text\(Self.mend)")
    }

    @Test func `nesting of 32 levels is read, and of 33 refused`() {
        let tooDeep = "s: lists and objects are nested more than 32 deep\(Self.name)"
        let cases: [(depth: Int, fault: String?)] = [(31, nil), (32, tooDeep)]
        for (depth, fault) in cases {
            let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(Self.fault(of: Array("{\"version\": {\"major\": 3}, \"a\": \(lists)}".utf8)) == fault)
        }
        let endless = "{\"version\": {\"major\": 3}, \"a\": " + String(repeating: "[", count: 1_000_000)
        #expect(Self.fault(of: Array(endless.utf8)) == tooDeep)
    }

    @Test func `a huge file is refused before it is read`() {
        let bytes = [UInt8](repeating: 0x20, count: StoreKitFile.maximumBytes + 1)
        #expect(Self.fault(of: bytes) == "s: the file has more than 16 MB\(Self.name)")
    }

    @Test func `an object of too many members is refused`() {
        let members = (0...1_024).map { "\"\($0)\": 0" }.joined(separator: ", ")
        #expect(
            Self.fault(of: Array("{\(members)}".utf8))
                == "s: an object has too many members, or one with too long a name\(Self.name)")
    }

    @Test func `only the version is required`() throws {
        let file = try StoreKitFile(Array("{\"version\": {\"major\": 1}}".utf8), name: "s")
        #expect(file.format == 1 && file.items.isEmpty && !file.hasPrivateKey)
        let sparse = """
            {"version": {"major": 9}, "products": null, "nonRenewingSubscriptions": [{"productID": "p"}],
             "subscriptionGroups": [{}, {"subscriptions": [{"productID": "q", "subscriptionGroupID": "7"}]}], "new": 1}
            """
        let items = try StoreKitFile(Array(sparse.utf8), name: "s").items
        #expect(items.map(\.id) == ["p", "q"] && items.map(\.kind) == [.pass, .plan])
        #expect(items.map(\.group) == [nil, "7"] && items.allSatisfy { $0.localizations.isEmpty })
    }

    @Test(
        arguments: [
            ("[{\"productID\": \"com.a\"}]", nil), ("{}", "s:2: products must be a list; write products: [ ]"),
            ("\"com.a\"", "s:2: products must be a list; write products: [ ]"),
            (
                "[{\"productID\": \"com.a\", \"localizations\": {}}]",
                "s:2: localizations must be a list; write localizations: [ ]"
            ),
            ("[{}]", "s:2: \(noID)"), ("[\"com.a\"]", "s:2: \(noID)"), ("[{\"productID\": 1}]", "s:2: \(noID)"),
            ("[{\"productID\": \"\"}]", "s:2: \(noID)"), ("[{\"productID\": \"com a\"}]", "s:2: \(noID)"),
            ("[{\"productID\": \"com.a\\n  - {id: evil}\"}]", "s:2: \(noID)"),
            ("[{\"productID\": \"com.a\\u0000\"}]", "s:2: \(noID)"), ("[{\"productID\": \"com.ä\"}]", "s:2: \(noID)"),
            ("[{\"productID\": \"\\u001b[31m\"}]", "s:2: \(noID)"),
            ("[{\"productID\": \"\(String(repeating: "a", count: 255))\"}]", nil),
            ("[{\"productID\": \"\(String(repeating: "a", count: 256))\"}]", "s:2: \(noID)"),
            (
                "[{\"productID\": \"com.a\"},\n{\"productID\": \"com.b\"},\n{\"productID\": \"com.a\"}]",
                "s:4: the product id com.a stands in line 2 too; keep one of the two"
            ),
        ] as [(String, String?)])
    func `a list or product that no catalogue could have is refused at its line`(_ products: String, _ fault: String?) {
        let text = "{\"version\": {\"major\": 3}, \"products\":\n\(products)}"
        #expect(Self.fault(of: Array(text.utf8)) == fault)
    }

    @Test func `ids are distinct over all lists`() {
        let text = """
            {"version": {"major": 3},
             "subscriptionGroups": [{"subscriptions": [
               {"productID": "com.a"}]}],
             "nonRenewingSubscriptions": [{"productID": "com.a"}]}
            """
        // Passes are read first, wherever they stand.
        #expect(
            Self.fault(of: Array(text.utf8)) == "s:3: the product id com.a stands in line 4 too; keep one of the two")
    }

    /// The fault of a file named `s`; nil if it is read.
    private static func fault(of bytes: [UInt8]) -> String? {
        do throws(Fault) {
            _ = try StoreKitFile(bytes, name: "s")
            return nil
        } catch {
            return error.description
        }
    }
}
