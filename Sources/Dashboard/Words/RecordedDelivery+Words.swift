import Entitlements
import LedgerStore

extension RecordedDelivery {
    /// The kinds of news by the types of the stores.
    private static let words: [Source: [String: Phrase]] = [
        .appleIAP: [
            "REFUND": .typeRefund, "REFUND_REVERSED": .typeRefundReversed, "REFUND_DECLINED": .typeRefundDeclined,
            "REVOKE": .typeRevoke, "CONSUMPTION_REQUEST": .typeQuestion, "ONE_TIME_CHARGE": .typeBought,
            "SUBSCRIBED": .typeSubscribed, "DID_RENEW": .typeRenewed, "DID_FAIL_TO_RENEW": .typeRenewalFailed,
            "GRACE_PERIOD_EXPIRED": .typeGraceOver, "EXPIRED": .typeExpired,
            "DID_CHANGE_RENEWAL_STATUS": .typeRenewalChanged,
        ],
        .stripe: [
            "charge.refunded": .typeRefund, "customer.subscription.created": .typeSubscribed,
            "customer.subscription.deleted": .typeExpired, "invoice.paid": .typeInvoicePaid,
            "invoice.payment_failed": .typeInvoiceFailed,
        ],
    ]

    /// The words for what a delivery tells, with the store's own beneath; those alone if they are not known here.
    func title(_ words: Words) -> Markup {
        let code = Tag.bdi { ([type] + [subtype].compactMap(\.self)).joined(separator: " ") }
        let sandbox = Shell.sandbox(words, if: environment)
        guard let phrase = Self.words[source]?[type] else { return code + sandbox }
        return Markup(words.text(phrase)) + sandbox + Tag.small { Tag.code { code } }
    }
}
