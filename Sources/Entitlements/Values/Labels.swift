/// Makes labels under one pseudonym key, wherever names from outside enter the program. Only the labels are stored.
package struct Labels: Sendable {
    /// The kind of a name. Equal texts of two kinds have different labels.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The Apple account; it has another name in each app and environment.
        case account
        case accountToken = "account_token"
        /// The Apple account as the name of a user. No fact holds it, so nobody reads an erased person's id in the
        /// books.
        case appleSignIn = "apple_sign_in"
        /// A customer of card billing.
        case customer
        case device
        case deviceName = "device_name"
        case idempotencyKey = "idempotency_key"
        /// The network from which somebody tries to sign in.
        case network
        /// The whole content of a request.
        case request
        case reference
        /// The name of a person of the staff, as it was typed.
        case staffName = "staff_name"
        /// A user id.
        case user
    }

    private let hmac: @Sendable ([UInt8]) -> [UInt8]

    /// Makes labels with `hmac`, which returns the 32 bytes of the HMAC-SHA256 of a message under the pseudonym key.
    package init(hmac: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.hmac = hmac
    }

    /// Returns the label of a name: the first 16 bytes of the HMAC, as 22 characters of base64url (RFC 4648 §5).
    ///
    /// The message is the kind and then the `parts`. Each of them is preceded by its length in four bytes, so different
    /// parts never give the same message.
    package func label(_ kind: Kind, _ parts: String...) -> Label {
        Label(text(kind, parts))
    }

    /// Returns the label of an account token, whatever the case of its letters. The label of a legacy token begins with
    /// `legacy:`.
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
