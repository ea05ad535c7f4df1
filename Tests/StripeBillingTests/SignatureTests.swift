import Crypto
import Entitlements
import Testing

@testable import StripeBilling

/// The scheme of `Stripe-Signature` to the byte (`stripe.md` §1).
@Suite struct SignatureTests {
    private static let secret = "whsec_test_secret"
    private static let time: Int64 = 1_700_000_000
    private static let body = #"{"id":"evt_1","object":"event"}"#
    private static let signature = "0c8670ed117751cc551a20e35839447075c42800ea3cf3e8a2fbda99cd1e6edd"

    private static func refusal(
        of header: String?, body: String = body, secrets: [String] = [secret], secondsLater: Int64 = 0
    ) throws -> SignatureRefusal? {
        let secrets = try #require(EndpointSecrets(secrets))
        let now = Instant(milliseconds: (time + secondsLater) * 1_000)
        do throws(SignatureRefusal) {
            _ = try VerifiedEvent.verify(
                Array(body.utf8), signedAs: try SignatureHeader(header), with: secrets, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (body, signature), (body + "\n", "914aa5cc4c8be684105292e01c5750c43fe1a45c82a7aef6b9bc9b2fc19bd7c3"),
            (#"{"name":"Zoë 😀"}"#, "4dee4005bd419ef33563f3895df5985ec1a300ebad65ae8a920e547d15e1c9d0"),
            ("", "316b9ab98c15bfa039d243f3196acee619cf29749a91a634e6a8154e2f7b6727"),
        ])
    func `known answers are reproduced`(body: String, signature: String) throws {
        #expect(try Self.refusal(of: "t=1700000000,v1=\(signature)", body: body) == nil)
        #expect(try Self.refusal(of: "t=1700000000,v1=\(signature)", body: body + " ") == .signatureMismatch)
    }

    @Test(
        arguments: [
            "t=1700000000,v1=\(signature)", " t=1700000000 , v1=\(signature) ", "v1=\(signature),t=1700000000",
            "t=1700000000,v0=ab,v1=\(signature)", "t=1700000000,v1=\(signature.uppercased())",
            "t=1700000000,v1=\(String(repeating: "0", count: 64)),v1=\(signature)",
            "t=1700000000,v1=00,v1=\(signature)",
            "t=1700000000,scheme=,v1=\(signature)",
        ])
    func `a header may say more than one signature, in any order, with blanks`(header: String) throws {
        #expect(try Self.refusal(of: header) == nil)
    }

    @Test(
        arguments: [
            (nil, .headerMissing), ("", .headerMalformed), ("v1=\(signature)", .headerMalformed),
            ("t=1700000000,t=1700000000,v1=\(signature)", .headerMalformed),
            ("t=+1700000000,v1=\(signature)", .headerMalformed), ("t=1700000000.0,v1=\(signature)", .headerMalformed),
            ("t=,v1=\(signature)", .headerMalformed), ("t=1234567890123,v1=\(signature)", .headerMalformed),
            ("t=１７０００,v1=\(signature)", .headerMalformed), ("t=1700000000;v1=\(signature)", .headerMalformed),
            ("t=1700000000,v1=\(signature),", .headerMalformed), ("t=1700000000,\(signature)", .headerMalformed),
            ("t=1700000000,v1=\(signature),x=" + String(repeating: "x", count: 1_024), .headerMalformed),
            ("t=1700000000", .signatureMissing), ("t=1700000000,v0=\(signature)", .signatureMissing),
            ("t=1700000000,V1=\(signature)", .signatureMissing), ("t=1700000000,v1=", .signatureMismatch),
            ("t=1700000000,v1=\(signature)0", .signatureMismatch),
            ("t=1700000000,v1=g\(signature.dropFirst())", .signatureMismatch),
            ("t=1700000000,v1=1\(signature.dropFirst())", .signatureMismatch),
            ("t=01700000000,v1=\(signature)", .signatureMismatch), ("t=1700000001,v1=\(signature)", .signatureMismatch),
            ("t=1700000000" + String(repeating: ",v1=00", count: 8) + ",v1=\(signature)", .signatureMismatch),
            (
                "t=1700000000" + String(repeating: ",v1=" + String(repeating: "0", count: 64), count: 8)
                    + ",v1=\(signature)", .signatureMismatch
            ),
        ] as [(String?, SignatureRefusal)])
    func `a header that is wrong at one point is refused, and why`(header: String?, refusal: SignatureRefusal) throws {
        #expect(try Self.refusal(of: header) == refusal)
    }

    @Test func `the time may be five minutes off, before and after, and no second more`() throws {
        let header = "t=1700000000,v1=\(Self.signature)"
        for seconds: Int64 in [-300, -1, 0, 1, 300] {
            #expect(try Self.refusal(of: header, secondsLater: seconds) == nil, "\(seconds)")
        }
        for seconds: Int64 in [-301, 301, 86_400, -86_400] {
            #expect(try Self.refusal(of: header, secondsLater: seconds) == .timestampOutOfRange, "\(seconds)")
        }
        let forged = "t=1700000000,v1=\(String(repeating: "0", count: 64))"
        #expect(try Self.refusal(of: forged, secondsLater: 301) == .signatureMismatch, "the signature comes first")
    }

    @Test func `any of several secrets verifies, each as it stands`() throws {
        let header = "t=1700000000,v1=\(Self.signature)"
        #expect(try Self.refusal(of: header, secrets: ["whsec_new", Self.secret]) == nil)
        for other in ["test_secret", " whsec_test_secret", "whsec_test_secret\n", "WHSEC_test_secret"] {
            #expect(try Self.refusal(of: header, secrets: [other]) == .signatureMismatch, "\(other)")
        }
    }

    @Test func `a signed event with names beyond the bounds is unreadable and still tells whose it is`() throws {
        let secrets = try #require(EndpointSecrets([Self.secret]))
        let now = Instant(milliseconds: Self.time * 1_000)
        let many = (0..<1_025).map { #""n\#($0)":1"# }.joined(separator: ",")
        for extra in [many, #""\#(String(repeating: "n", count: 257))":1"#] {
            let body = Array(
                #"""
                {"id":"evt_1","object":"event","type":"customer.updated","created":1700000000,"livemode":false,
                "data":{"object":{"object":"customer","id":"cus_1","metadata":{\#(extra)}}}}
                """#.utf8)
            let message = Array("1700000000.".utf8) + body
            let code = HMAC<SHA256>.authenticationCode(
                for: message, using: SymmetricKey(data: Array(Self.secret.utf8)))
            let digits = code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let event = try VerifiedEvent.verify(
                body, signedAs: SignatureHeader("t=1700000000,v1=\(digits)"), with: secrets, at: now
            ).get()
            #expect(event.content == .ignored(.unreadable) && event.customer == "cus_1" && event.id == "evt_1")
            #expect(try VerifiedEvent.read(stored: String(decoding: body, as: UTF8.self)).content == event.content)
        }
    }

    @Test func `secrets that are blank cannot be made`() {
        for secrets in [[], [""], [" "], ["\t\n"], [Self.secret, ""]] { #expect(EndpointSecrets(secrets) == nil) }
    }
}
