/// Makes labels under one pseudonym key, where names enter the program. Only labels are stored.
package struct Labels: Sendable {
    /// The kind of a name; equal texts of two kinds have nothing in common.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A store's account, which each app and environment names anew.
        case account
        case accountToken = "account_token"
        /// A customer of card billing.
        case customer
        case device
        case deviceName = "device_name"
        case idempotencyKey = "idempotency_key"
        /// All that a request asks for.
        case request
        case reference
        /// A user id.
        case user
    }

    private let hmac: @Sendable ([UInt8]) -> [UInt8]

    /// `hmac` is HMAC-SHA256 under the pseudonym key: the same 32 bytes of the same message.
    package init(hmac: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.hmac = hmac
    }

    /// 16 bytes of the HMAC as 22 characters of base64url (RFC 4648 §5).
    ///
    /// The message is the kind and then the `parts`, each after its length as four bytes, so that no two lists of parts
    /// make one message.
    package func label(_ kind: Kind, _ parts: String...) -> Label {
        Label(text(kind, parts))
    }

    /// The label of an account token; the case it was written in does not count. The label of a legacy token tells so.
    package func label(of token: AccountToken) -> Label {
        let text = text(.accountToken, [token.description])
        return Label(token.legacyUserID == nil ? text : Label.legacyMark + text)
    }

    private func text(_ kind: Kind, _ parts: [String]) -> String {
        var message: [UInt8] = []
        message.reserveCapacity(128)
        for part in [kind.rawValue] + parts {
            withUnsafeBytes(of: UInt32(part.utf8.count).bigEndian) { message += $0 }
            message += part.utf8
        }
        return Self.base64URL(hmac(message).prefix(16))
    }

    private static func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var (pending, bits) = (UInt32(0), 0)
        for byte in bytes {
            (pending, bits) = (pending << 8 | UInt32(byte), bits + 8)
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(pending >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(pending << UInt32(6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
