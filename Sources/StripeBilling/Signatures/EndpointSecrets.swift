import Crypto

/// The signing secrets of Stripe's webhook endpoints. There are several while a secret is replaced, and test mode has
/// its own. There is at least one and none is blank, because anybody could sign with a blank secret.
package struct EndpointSecrets: Sendable {
    private let keys: [SymmetricKey]

    /// Nil if there is no secret, or a blank one.
    package init?(_ secrets: [String]) {
        guard !secrets.isEmpty, secrets.allSatisfy({ !$0.allSatisfy(\.isWhitespace) }) else { return nil }
        keys = secrets.map { SymmetricKey(data: Array($0.utf8)) }
    }

    /// True if a signature in the header is the HMAC of the header's time and `body` under one of the secrets. The HMAC
    /// is computed once for each secret and compared in constant time.
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
