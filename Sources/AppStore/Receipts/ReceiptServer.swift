package import Entitlements
import StrictJSON

/// Asks verifyReceipt, the deprecated service for receipts, in an environment (`apple.md` §9.2).
package protocol ReceiptServer: Sendable {
    /// The body of the answer about a receipt in base64.
    ///
    /// - Throws: ``AppStoreServerFailure``, always `.unreachable`.
    func verify(_ receipt: String, in environment: StoreEnvironment) async throws(AppStoreServerFailure) -> [UInt8]
}

/// An answer of verifyReceipt that vouches for a receipt, as far as it is read: the app, and the original transaction
/// ids.
package struct ReceiptAnswer: Hashable, Sendable {
    /// The reason why there is no answer.
    package enum Failure: Error, Hashable, Sendable {
        /// Apple is away, so that the same receipt may be answered later.
        case away
        /// Apple does not accept `apple.shared_secret` (21004).
        case secretNotAccepted
        /// Apple does not take the receipt, or it belongs to an Apple account that is gone (21010).
        case refused(EvidenceError)
    }

    /// The environment that answered, in which the ids count.
    package let environment: StoreEnvironment
    package let bundleID: String?
    /// The app's number in the App Store; nil in the Sandbox, which writes 0.
    package let appItemID: Int64?
    /// At most ``LegacyReceipt/maximumPurchases``.
    package let purchases: [String]

    /// Asks about a receipt: Production first, and the Sandbox where Production says that the receipt is from there.
    /// A receipt that cannot be read is asked about twice, because Apple answers so in trouble, too (`apple.md` §9.2).
    ///
    /// - Throws: ``Failure``.
    package init(asking server: any ReceiptServer, about receipt: String) async throws(Failure) {
        var (environment, isAskedAgain) = (StoreEnvironment.production, false)
        while true {
            let json = try await Self.answer(of: server, about: receipt, in: environment)
            switch json["status"]?.whole {
            // 21006 says that a subscription of iOS 6 has ended; the content is there all the same.
            case 0, 21006:
                self.init(json, from: environment)
                return
            case 21007 where environment == .production: environment = .sandbox
            case 21002 where !isAskedAgain: isAskedAgain = true
            case 21004: throw .secretNotAccepted
            case 21005, 21008, 21009, nil: throw .away
            case 21010?: throw .refused(EvidenceError(.malformed, "The receipt's Apple account is gone."))
            case let status?:
                let isRetryable = ["is_retryable", "is-retryable"].contains { json[$0]?.isTrue ?? false }
                if (21_100...21_199).contains(status), isRetryable { throw .away }
                throw .refused(EvidenceError(.malformed, "Apple does not take the receipt."))
            }
        }
    }

    private static func answer(
        of server: any ReceiptServer, about receipt: String, in environment: StoreEnvironment
    ) async throws(Failure) -> JSONValue {
        let body: [UInt8]
        do throws(AppStoreServerFailure) {
            body = try await server.verify(receipt, in: environment)
        } catch {
            throw .away
        }
        // `try?` drops the defect: what is no JSON is no answer of Apple's.
        guard let json = try? JSONValue(StrictJSON(body, boundsNames: false)) else { throw .away }
        return json
    }

    /// Reads the content: the newest purchases where Apple lists them, and those of the receipt itself, where
    /// one-time purchases are.
    private init(_ json: JSONValue, from environment: StoreEnvironment) {
        self.environment = environment
        let receipt = json["receipt"]
        bundleID = receipt?["bundle_id"]?.string ?? receipt?["bid"]?.string
        let number = receipt?["app_item_id"]?.whole.flatMap { Int64($0) }
        appItemID = number == 0 ? nil : number
        // An answer about a transaction receipt has one object in place of each list.
        let latest = json["latest_receipt_info"].map { $0.elements ?? [$0] } ?? []
        let own = receipt.map { $0["in_app"]?.elements ?? [$0] } ?? []
        purchases = LegacyReceipt.distinct((latest + own).compactMap(\.originalTransactionID))
    }
}

extension JSONValue {
    /// The original transaction id that an object names, as a text or a number, or its transaction id; nil for none.
    package var originalTransactionID: String? {
        let names = ["original_transaction_id", "transaction_id"]
        return names.lazy.compactMap { self[$0].flatMap { $0.string ?? $0.integer } }.first
    }

    /// A whole number, also where it is written as a text.
    fileprivate var whole: Int? { (integer ?? string).flatMap { Int($0) } }

    /// True for `true`, also where it is written as a text or a number.
    fileprivate var isTrue: Bool { flag ?? (string == "true" || whole == 1) }
}
