import Crypto
import Entitlements

/// The server's key under which what an erased person's names are replaced by: without it nobody can tell whether a name was
/// theirs (`semantics.md` §5).
package struct TombstoneKey: Sendable, CustomStringConvertible {
    private let key: SymmetricKey

    /// A key of its own, derived from the one that the server keeps; another secret makes all tombstones unreadable.
    package init(derivedFrom secret: [UInt8]) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Array("gatepass tombstones".utf8), using: .init(data: secret)))
    }

    package var description: String { "(secret)" }

    func tombstone(of token: AccountToken) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("account_token:".utf8) + token.bytes, using: key))
    }

    /// What stands in the place of an Apple account's id; never an id that Apple gives.
    func tombstone(of account: AppTransactionID) -> AppTransactionID {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("app_transaction_id:".utf8) + Array(account.text.utf8), using: key)
        let digits = code.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return AppTransactionID(Self.mark + digits.joined())
    }

    static func isTombstone(_ account: AppTransactionID) -> Bool { account.text.hasPrefix(mark) }

    private static let mark = "hmac:"
}
