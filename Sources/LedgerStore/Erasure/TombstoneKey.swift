import Crypto
import Entitlements

/// The server's key under which what an erased person's names are replaced by: without it nobody can tell whether a name was
/// theirs (`semantics.md` §5).
///
/// A store's name that is a tombstone already is its own.
package struct TombstoneKey: Sendable, CustomStringConvertible {
    private let key: SymmetricKey

    /// A key of its own, derived from the one that the server keeps; another secret makes all tombstones unreadable.
    package init(derivedFrom secret: [UInt8]) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Array("gatepass tombstones".utf8), using: .init(data: secret)))
    }

    package var description: String { "(secret)" }

    func tombstone(of token: AccountToken) -> [UInt8] {
        code(of: Array("account_token:".utf8) + token.bytes)
    }

    /// What stands in the place of an Apple account's id; never an id that Apple gives.
    func tombstone(of account: AppTransactionID) -> AppTransactionID {
        guard !Self.isTombstone(account.text) else { return account }
        return AppTransactionID(Self.text(code(of: Array("app_transaction_id:".utf8) + Array(account.text.utf8))))
    }

    /// What stands in the place of a purchase's number; one number in two apps has two.
    func tombstone(of key: PurchaseKey) -> ExternalID {
        ExternalID(number(key.externalID.text, like: key))
    }

    /// What stands in the place of a transaction's id. That of the transaction which a purchase is named after is the
    /// purchase's own, because a purchase begins with it (`VerifiedPurchase.isOriginal`).
    func tombstone(of id: TransactionID, like key: PurchaseKey) -> TransactionID {
        TransactionID(number(id.text, like: key))
    }

    func tombstone(ofPeriod id: String, like key: PurchaseKey) -> String {
        name(id, as: "period", scope(of: key))
    }

    /// Of the caller's name for a spend or a reservation, and of the reservation's own; whatever a caller chose, it goes.
    func tombstone(ofAct name: String, of pseudonym: UInt64) -> String {
        tombstone(of: ["act", String(pseudonym), name])
    }

    /// Of a digest that could be guessed from what it was made of.
    func tombstone(ofDigest digest: [UInt8]) -> [UInt8] {
        code(of: Array("digest:".utf8) + digest)
    }

    static func isTombstone(_ name: String) -> Bool { name.utf8.starts(with: mark.utf8) }

    private func number(_ text: String, like key: PurchaseKey) -> String {
        name(text, as: "purchase", scope(of: key))
    }

    private func scope(of key: PurchaseKey) -> [String] {
        [key.source.rawValue, key.app.text, key.environment.rawValue]
    }

    private func name(_ text: String, as kind: String, _ scope: [String]) -> String {
        Self.isTombstone(text) ? text : tombstone(of: [kind] + scope + [text])
    }

    private func tombstone(of fields: [String]) -> String {
        var encoder = FieldEncoder()
        for field in fields { encoder.append(field) }
        return Self.text(code(of: Array("name:".utf8) + encoder.bytes))
    }

    private func code(of message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    private static func text(_ code: [UInt8]) -> String { mark + Hexadecimal.text(code) }

    private static let mark = "hmac:"
}

extension PurchaseKey {
    /// Whether the number is a tombstone: an erased person's, or of somebody who claimed it from one and has not shown it since.
    package var isTombstone: Bool { TombstoneKey.isTombstone(externalID.text) }

    /// The same with the tombstone in the place of the number.
    func buried(under key: TombstoneKey) -> PurchaseKey { numbered(key.tombstone(of: self)) }

    func numbered(_ id: ExternalID) -> PurchaseKey {
        PurchaseKey(source: source, app: app, environment: environment, externalID: id, place: place)
    }
}
