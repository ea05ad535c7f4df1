import Crypto

/// The signing secrets of the card account's endpoints: never none, and none of them blank, because whoever knows that
/// a secret is empty can sign with it. Several are live while one is changed, and test mode has its own.
package struct EndpointSecrets: Sendable {
    private let keys: [SymmetricKey]

    /// Nil when there is no secret, or a blank one.
    package init?(_ secrets: [String]) {
        guard !secrets.isEmpty, secrets.allSatisfy({ !$0.allSatisfy(\.isWhitespace) }) else { return nil }
        keys = secrets.map { SymmetricKey(data: Array($0.utf8)) }
    }

    /// True if one of the header's signatures is that of its time and `body` under one of the secrets. The code is made
    /// once for each secret, however many signatures there are, and compared in constant time.
    func signed(_ body: [UInt8], as header: SignatureHeader) -> Bool {
        keys.contains { key in
            var code = HMAC<SHA256>(key: key)
            code.update(data: Array((header.timestamp + ".").utf8))
            code.update(data: body)
            let expected = code.finalize()
            return header.signatures.contains { expected == $0 }
        }
    }
}
