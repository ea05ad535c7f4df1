import Entitlements
import Testing

/// What names somebody outside, as a label (`semantics.md` §5, *Names at the door*).
@Suite struct LabelsTests {
    /// Labels that are 16 bytes of `message` from `offset` on, so that a test sees what is under the HMAC.
    private static func labels(from offset: Int = 0) -> Labels {
        Labels { message in Array((message + [UInt8](repeating: 0, count: 32)).dropFirst(offset).prefix(32)) }
    }

    @Test func `a label is 16 bytes of the HMAC in base64url`() {
        #expect(Labels { _ in Array(0..<32) }.label(.account).text == "AAECAwQFBgcICQoLDA0ODw")
        #expect(Labels { _ in [UInt8](repeating: 0xFB, count: 32) }.label(.account).text == "-_v7-_v7-_v7-_v7-_v7-w")
        #expect(Labels { _ in [UInt8](repeating: 0xFF, count: 32) }.label(.account).text == "_____________________w")
    }

    @Test func `the message is the kind and the parts, each after its length`() {
        let expected =
            [0, 0, 0, 7] + Array("account".utf8) + [0, 0, 0, 2] + Array("é".utf8) + [0, 0, 0, 0] + [0, 0, 0, 1]
            + Array("b".utf8)
        let labels = Labels { message in
            #expect(message == expected)
            return Array(0..<32)
        }
        _ = labels.label(.account, "é", "", "b")
    }

    @Test func `a golden label stays what it is`() {
        #expect(Self.labels().label(.device, "u", "phone").text == "AAAABmRldmljZQAAAAF1AA")
        #expect(Self.labels(from: 10).label(.device, "u", "phone").text == "AAAAAXUAAAAFcGhvbmUAAA")
        #expect(
            Labels.Kind.allCases.map(\.rawValue) == [
                "account", "account_token", "apple_sign_in", "customer", "device", "device_name", "idempotency_key",
                "network", "request", "reference", "staff_name", "user",
            ])
    }

    @Test func `no two lists of parts, and no two kinds, have one message`() {
        let labels = Labels { message in Self.digest(of: message) }
        let made = [
            labels.label(.account, "a", "b"), labels.label(.account, "ab"), labels.label(.account, "", "ab"),
            labels.label(.account, "a", "", "b"), labels.label(.account, "b", "a"), labels.label(.device, "a", "b"),
            labels.label(.deviceName, "a", "b"), labels.label(.account),
        ]
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { $0.text.utf8.count == 22 })
    }

    @Test func `a token's label is the same in either case, and tells the legacy form`() throws {
        let labels = Labels { message in Self.digest(of: message) }
        let token = try #require(AccountToken("0F3B8C9E-5F6D-4A7B-8C9D-0E1F2A3B4C5D"))
        let label = labels.label(of: token)
        #expect(label == labels.label(.accountToken, "0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d"))
        #expect(!label.isLegacyToken)
        let legacy = try #require(AccountToken("0000002A-0000-0000-0000-000000000000"))
        let plain = labels.label(.accountToken, "0000002a-0000-0000-0000-000000000000")
        #expect(labels.label(of: legacy).text == "legacy:" + plain.text && labels.label(of: legacy).isLegacyToken)
        #expect(!plain.isLegacyToken)
    }

    @Test(arguments: [
        ("0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d", true), ("0F3B8C9E-5F6D-4A7B-8C9D-0E1F2A3B4C5D", true),
        ("gf3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d", false), ("GF3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d", false),
        (":f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d", false), ("/f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d", false),
        ("@f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d", false), ("`f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d", false),
        ("0f3b8c9e05f6d-4a7b-8c9d-0e1f2a3b4c5d", false), ("0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5", false),
    ])
    func `a token is hexadecimal digits of either case`(text: String, isOne: Bool) {
        let token = isOne ? "0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d" : nil
        #expect(AccountToken(text)?.description == token)
    }

    @Test(
        arguments: [
            ("0b5e1e55-0000-0000-0000-000000000000", "190717525"), ("0000002A-0000-0000-0000-000000000000", "42"),
            ("ffffffff-0000-0000-0000-000000000000", "4294967295"), ("0000002A-0000-0000-0000-000000000001", nil),
            ("0000002A-0100-0000-0000-000000000000", nil),
        ] as [(String, UserID?)])
    func `a token of the legacy form is the number of a user, in eight hexadecimal digits`(text: String, user: UserID?)
    {
        #expect(AccountToken(text)?.legacyUserID == user)
    }

    /// FNV-1a, four times over: enough to tell messages apart.
    private static func digest(of message: [UInt8]) -> [UInt8] {
        (UInt64(0)..<4).flatMap { salt in
            let hash = message.reduce(0xCBF2_9CE4_8422_2325 ^ salt) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
        }
    }
}
