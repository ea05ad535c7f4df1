import AppStore
import Crypto
import FoundationEssentials
import StoreSimulator
import SwiftASN1
import X509

extension HostileMint {
    /// JSON that has no or more than one reading, made from an object's text (`threats.md` T13).
    ///
    /// - Parameter member: A member of the object, as it stands in the text.
    func ambiguities(of object: String, member: String) -> [(String, [UInt8])] {
        let inner = String(object.dropFirst().dropLast())
        let name = String(member.prefix { $0 != ":" })
        let letter = String(name.dropFirst().prefix(1))
        let escaped = "\"\\u00" + String(letter.utf8.first ?? 0, radix: 16) + name.dropFirst(2)
        let texts: [(String, String)] = [
            ("empty", ""), ("a blank", " "), ("an array around it", "[\(object)]"), ("an array", "[]"),
            ("a string", "\"x\""),
            ("a number", "1"), ("true", "true"), ("null", "null"), ("a member twice", "{\(inner),\(member)}"),
            ("a member twice, the first escaped", "{\(escaped)\(member.dropFirst(name.count)),\(inner)}"),
            ("a member twice, with another value", "{\(name):0,\(inner)}"),
            ("a member twice inside", "{\(inner),\"x\":{\"a\":1,\"a\":1}}"),
            ("an unknown member twice", "{\(inner),\"x\":1,\"x\":2}"),
            ("an empty name twice", "{\(inner),\"\":1,\"\":2}"),
            ("a trailing comma", "{\(inner),}"), ("a leading comma", "{,\(inner)}"),
            ("two commas", "{\(inner),,\"x\":1}"),
            ("a missing comma", "{\(inner) \"x\":1}"), ("a missing colon", "{\(inner),\"x\" 1}"),
            ("a missing value", "{\(inner),\"x\":}"), ("a name without quotes", "{\(inner),x:1}"),
            ("a name in single quotes", "{\(inner),'x':1}"), ("a number as name", "{\(inner),1:1}"),
            ("not closed", "{\(inner)"), ("closed twice", "\(object)}"), ("closed by a bracket", "{\(inner)]"),
            ("two values", "\(object)\(object)"), ("a comment", "{\(inner)/**/}"), ("a comment behind", "\(object)//"),
            ("a letter behind", "\(object)x"), ("a NUL behind", "\(object)\0"),
            ("a byte order mark", "\u{FEFF}\(object)"),
            ("a no-break space", "\u{A0}\(object)"), ("a form feed", "\u{0C}\(object)"),
            ("a line feed in a string", "{\(inner),\"x\":\"\n\"}"), ("a NUL in a string", "{\(inner),\"x\":\"\0\"}"),
            ("a lone high surrogate", #"{\#(inner),"x":"\ud800"}"#),
            ("a lone low surrogate", #"{\#(inner),"x":"\udc00"}"#),
            ("surrogates in the wrong order", #"{\#(inner),"x":"\udc00\ud800"}"#),
            ("a high surrogate before a letter", #"{\#(inner),"x":"\ud800\u0041"}"#),
            ("a lone surrogate in a name", #"{\#(inner),"\ud800":1}"#),
            ("an unknown escape", #"{\#(inner),"x":"\x41"}"#),
            ("an escape of three digits", #"{\#(inner),"x":"\u041"}"#), ("a leading zero", "{\(inner),\"x\":01}"),
            ("a plus sign", "{\(inner),\"x\":+1}"), ("a bare minus", "{\(inner),\"x\":-}"),
            ("a bare point", "{\(inner),\"x\":.5}"),
            ("no digit behind the point", "{\(inner),\"x\":1.}"), ("no digit in the exponent", "{\(inner),\"x\":1e}"),
            ("hexadecimal", "{\(inner),\"x\":0x10}"), ("not a number", "{\(inner),\"x\":NaN}"),
            ("infinity", "{\(inner),\"x\":Infinity}"),
            ("True", "{\(inner),\"x\":True}"), ("half a word", "{\(inner),\"x\":nul}"),
            ("undefined", "{\(inner),\"x\":undefined}"),
            (
                "too deep",
                "{\(inner),\"x\":" + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}"
            ),
            ("far too deep", "{\(inner),\"x\":" + String(repeating: "[", count: 1200)),
        ]
        let utf16 = object.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let broken: [(String, [UInt8])] = [
            ("a stray continuation byte", [0x80]), ("an overlong slash", [0xC0, 0xAF]),
            ("an encoded surrogate", [0xED, 0xA0, 0x80]),
            ("a scalar beyond Unicode", [0xF4, 0x90, 0x80, 0x80]), ("half a character", [0xE2, 0x82]),
            ("Latin-1", [0xE9]), ("0xFF", [0xFF]), ("overlong in three", [0xE0, 0x80, 0x80]),
            ("overlong in four", [0xF0, 0x80, 0x80, 0x80]),
        ]
        return texts.map { ($0.0, Array($0.1.utf8)) }
            + broken.map { ($0.0, Array("{\(inner),\"x\":\"".utf8) + $0.1 + Array("\"}".utf8)) }
            + (utf16.count < 6000 ? [("UTF-16", utf16)] : [])
    }

    /// Attacks on the header's JSON and on what stands in it (`threats.md` T3, T13).
    func headers() throws -> [HostileVector] {
        let body = Array(payload.json.utf8)
        let ambiguous = try ambiguities(of: header.json, member: #""alg":"ES256""#).map {
            ($0.0, try sign(header: $0.1, payload: body))
        }
        return family("ambiguous header", .malformed, ambiguous) + (try forbiddenMembers()) + (try largeHeaders())
    }

    private func forbiddenMembers() throws -> [HostileVector] {
        let key = Data(authority.leafKey.publicKey.rawRepresentation).base64EncodedString()
        let values: [(String, SimulatedPayload.Value)] = [
            ("crit", .array([.string("exp")])), ("crit", .array([])), ("crit", .array([.string("b64")])),
            ("crit", .verbatim("true")),
            ("b64", .boolean(false)), ("b64", .boolean(true)), ("b64", .string("false")), ("zip", .string("DEF")),
            ("zip", .string("none")), ("zip", .integer(1)),
            ("jwk", .verbatim(#"{"kty":"EC","crv":"P-256","x":"\#(key)"}"#)),
            ("jwk", .verbatim("{}")), ("jwk", .string(key)), ("jku", .string("http://127.0.0.1:9/keys")),
            ("jku", .string("https://appleid.apple.com/auth/keys")), ("jku", .integer(0)),
            ("x5u", .string("http://127.0.0.1:9/chain.pem")), ("x5u", .string("file:///etc/ssl/cert.pem")),
            ("x5u", .string("")),
            ("crit", .verbatim("null")), ("x5u", .verbatim("null")),
        ]
        var vectors = try values.enumerated().map { place, member in
            ("\(member.0) \(place)", try sign(header: added(member), payload))
        }
        for (name, spelling) in [("crit", #"\u0063rit"#), ("jwk", #"j\u0077k"#), ("x5u", #"x\u0035u"#)] {
            vectors.append(("\(name), escaped", try sign(header: header.json.dropLast() + #","\#(spelling)":[]}"#)))
        }
        return family("header member that offers another reading or key", .malformed, vectors)
    }

    private func largeHeaders() throws -> [HostileVector] {
        let sizes = [8 * 1024 - header.json.utf8.count, 6 * 1024, 7 * 1024]
        return family(
            "large header", .malformed,
            try sizes.map { size in
                (
                    "\(size) more bytes",
                    try sign(header: added(("kid", .string(String(repeating: "k", count: size)))), payload)
                )
            })
    }

    /// Attacks on the algorithm (`threats.md` T1, T2).
    func algorithms() throws -> [HostileVector] {
        try algorithmNames() + algorithmTypes() + confusedKeys() + otherSignatures()
    }

    private func labelled(_ algorithm: SimulatedPayload.Value?) -> SimulatedPayload {
        var header = self.header
        header["alg"] = algorithm
        return header
    }

    private func algorithmNames() throws -> [HostileVector] {
        let names = [
            "none", "None", "NONE", "nOnE", "none ", "", " ", "HS256", "HS384", "HS512", "RS256", "RS384", "RS512",
            "PS256", "PS384",
            "PS512", "ES384", "ES512", "ES256K", "EdDSA", "Ed25519", "ESB256", "es256", "Es256", "ES256 ", " ES256",
            "ES256\0", "ES256\n",
            "ES-256", "ES25", "ES2566", "ECDSA", "SHA256withECDSA", "ＥＳ256", "ЕS256", "ES256\u{301}", "dir", "A256GCM",
            "RSA-OAEP",
            "ES256,none", "[\"ES256\"]", "ES256\u{200B}",
        ]
        return family(
            "name of another algorithm", .unsupportedAlgorithm,
            try names.map { ("alg \(SimulatedPayload.quoted($0))", try sign(header: labelled(.string($0)), payload)) })
    }

    private func algorithmTypes() throws -> [HostileVector] {
        let values = ["null", "1", "256", "true", "false", #"["ES256"]"#, "[]", #"{"ES256":1}"#, "{}"]
        return family(
            "alg of another type", .unsupportedAlgorithm,
            try values.map { ("alg \($0)", try sign(header: labelled(.verbatim($0)), payload)) }
                + [("no alg", try sign(header: labelled(nil), payload))]
                + ["Alg", "ALG", "alg ", "algorithm"].map { name in
                    var header = labelled(nil)
                    header[name] = .string("ES256")
                    return ("\(name) instead of alg", try sign(header: header, payload))
                })
    }

    /// Public bytes of the leaf's key taken for a secret.
    private func confusedKeys() throws -> [HostileVector] {
        let key = authority.leafKey.publicKey
        let secrets: [(String, [UInt8])] = [
            ("the key in DER", Array(key.derRepresentation)), ("the key in PEM", Array(key.pemRepresentation.utf8)),
            ("the bare point", Array(key.x963Representation)), ("the bare coordinates", Array(key.rawRepresentation)),
            ("the certificate in DER", certificates[0]),
            ("the certificate in base64", Array(Data(certificates[0]).base64EncodedString().utf8)), ("nothing", []),
        ]
        var vectors: [(String, String)] = []
        for (name, secret) in secrets {
            let secret = SymmetricKey(data: secret)
            for algorithm in ["HS256", "HS384", "HS512"] {
                let input =
                    CompactText.base64URL(labelled(.string(algorithm)).json.utf8) + "."
                    + CompactText.base64URL(payload.json.utf8)
                let bytes = Array(input.utf8)
                let code: [UInt8] =
                    switch algorithm {
                    case "HS256": Array(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
                    case "HS384": Array(HMAC<SHA384>.authenticationCode(for: bytes, using: secret))
                    default: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: secret))
                    }
                vectors.append(("\(algorithm) keyed by \(name)", input + "." + CompactText.base64URL(code)))
            }
        }
        return family("public key taken for a secret", .unsupportedAlgorithm, vectors)
    }

    /// Labels that tell the truth about another signature.
    private func otherSignatures() throws -> [HostileVector] {
        func signed(_ algorithm: String, _ sign: ([UInt8]) throws -> [UInt8]) throws -> (String, String) {
            let input =
                CompactText.base64URL(labelled(.string(algorithm)).json.utf8) + "."
                + CompactText.base64URL(payload.json.utf8)
            return ("\(algorithm), rightly signed", input + "." + CompactText.base64URL(try sign(Array(input.utf8))))
        }
        return family(
            "signature by another algorithm", .unsupportedAlgorithm,
            [
                try signed("ES384") { Array(try authority.intermediateKey.signature(for: $0).rawRepresentation) },
                try signed("ES512") { Array(try P521.Signing.PrivateKey().signature(for: $0).rawRepresentation) },
                try signed("EdDSA") { Array(try Curve25519.Signing.PrivateKey().signature(for: $0)) },
                try signed("none") { _ in [] },
            ])
    }
}
