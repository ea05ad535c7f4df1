import AppStore
import Entitlements
import Foundation
import StoreSimulator

/// The parts of answers about receipts, as verifyReceipt writes them: numbers and flags as texts. Also the transaction
/// receipts of iOS 6, which it alone can read.
enum SimulatedReceiptAnswer {
    /// A transaction receipt of iOS 6, in base64.
    ///
    /// - Throws: Nothing in practice, because the authority's key is valid.
    static func transactionReceipt(
        of transaction: SimulatedTransaction, signedBy authority: ReceiptAuthority
    ) throws -> String {
        let info = written([
            ("original-transaction-id", transaction.originalTransactionId),
            ("transaction-id", transaction.transactionId), ("product-id", transaction.productId),
            ("bid", transaction.bundleId), ("quantity", String(transaction.quantity)),
            ("purchase-date-ms", String(transaction.purchaseDate)),
        ])
        let signature = try authority.signature(over: Array(info.utf8))
        let receipt = written([
            ("signature", Data(signature).base64EncodedString()),
            ("purchase-info", Data(info.utf8).base64EncodedString()),
            ("environment", transaction.environment.rawValue), ("pod", "100"), ("signing-status", "0"),
        ])
        return Data(receipt.utf8).base64EncodedString()
    }

    /// The transaction id in a transaction receipt that the authority signed; nil if it names none, or is made up.
    static func transactionID(in receipt: String, signedBy authority: ReceiptAuthority) -> String? {
        guard let info = member("purchase-info", of: receipt), let bytes = Data(base64Encoded: info),
            let signature = member("signature", of: receipt).flatMap({ Data(base64Encoded: $0) }),
            authority.hasSigned(Array(bytes), with: Array(signature))
        else { return nil }
        return member("transaction-id", of: info)
    }

    private static func written(_ members: [(String, String)]) -> String {
        "{\n" + members.map { "\t\"\($0)\" = \"\($1)\";\n" }.joined() + "}"
    }

    private static func member(_ name: String, of base64: String) -> String? {
        let text = Data(base64Encoded: base64).map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let start = text.range(of: "\t\"\(name)\" = \"")?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" })
    }

    /// A transaction as it stands in `in_app` and `latest_receipt_info`.
    static func item(_ sold: SimulatedTransaction) -> [String: String] {
        let offer = sold.offerDiscountType?.rawValue
        let isRenewable = sold.type == .autoRenewableSubscription
        let members: [String: String?] = [
            "quantity": String(sold.quantity), "product_id": sold.productId, "transaction_id": sold.transactionId,
            "original_transaction_id": sold.originalTransactionId,
            "web_order_line_item_id": sold.webOrderLineItemId,
            "subscription_group_identifier": sold.subscriptionGroupIdentifier,
            "is_trial_period": String(offer == "FREE_TRIAL"),
            "is_in_intro_offer_period": isRenewable ? String(sold.offerType == .introductory) : nil,
            "is_upgraded": sold.isUpgraded == true ? "true" : nil,
            "cancellation_reason": sold.revocationDate == nil ? nil : String(sold.revocationReason?.rawValue ?? 0),
            "in_app_ownership_type": sold.inAppOwnershipType.rawValue, "app_account_token": sold.appAccountToken,
        ]
        return [
            ("purchase_date", sold.purchaseDate), ("original_purchase_date", sold.originalPurchaseDate),
            ("expires_date", sold.expiresDate), ("cancellation_date", sold.revocationDate),
        ].reduce(into: members.compactMapValues(\.self)) { $0.merge(dates($1.0, $1.1)) { $1 } }
    }

    /// The renewal of a plan as it stands in `pending_renewal_info`.
    static func pending(_ info: SimulatedRenewalInfo) -> [String: String] {
        let members: [String: String?] = [
            "original_transaction_id": info.originalTransactionId, "product_id": info.productId,
            "auto_renew_product_id": info.autoRenewProductId,
            "auto_renew_status": String(info.autoRenewStatus.rawValue),
            "expiration_intent": (info.expirationIntent?.rawValue).map { String($0) },
            "is_in_billing_retry_period": info.isInBillingRetryPeriod.map { $0 ? "1" : "0" },
            "price_consent_status": (info.priceIncreaseStatus?.rawValue).map { String($0) },
        ]
        return members.compactMapValues(\.self)
            .merging(dates("grace_period_expires_date", info.gracePeriodExpiresDate)) { $1 }
    }

    /// A date in Apple's three forms; nothing for nil.
    static func dates(_ name: String, _ milliseconds: Int64?) -> [String: String] {
        guard let milliseconds else { return [:] }
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        return [
            name: text(of: date, in: "Etc/GMT"), name + "_ms": String(milliseconds),
            name + "_pst": text(of: date, in: "America/Los_Angeles"),
        ]
    }

    private static func text(of date: Date, in zone: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: zone)
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: date) + " " + zone
    }
}
