package import Entitlements

extension AppStoreQuestion {
    /// Send Consumption Information V2 with `answer`, about a transaction whose user consented (`apple.md` §10.5).
    package static func consumption(of transaction: TransactionID, _ answer: ConsumptionAnswer) -> AppStoreQuestion {
        var members = [
            #""customerConsented":true"#, #""sampleContentProvided":\#(answer.providesSamples)"#,
            #""deliveryStatus":"\#(answer.isDelivered ? "DELIVERED" : "UNDELIVERED_OTHER")""#,
        ]
        if let share = answer.share { members.append(#""consumptionPercentage":\#(share)"#) }
        if let word = answer.preference.appleName { members.append(#""refundPreference":"\#(word)""#) }
        return .consumption(of: transaction.text, body: Array("{\(members.joined(separator: ","))}".utf8))
    }

    /// Set App Account Token of a purchase to `token`.
    package static func accountToken(of purchase: ExternalID, _ token: AccountToken) -> AppStoreQuestion {
        let body = #"{"appAccountToken":"\#(token.description.lowercased())"}"#
        return .accountToken(of: purchase.text, body: Array(body.utf8))
    }
}

extension RefundPreference {
    /// Apple's word; nil where Apple decides alone.
    fileprivate var appleName: String? {
        switch self {
        case .none: nil
        case .decline: "DECLINE"
        case .grantFull: "GRANT_FULL"
        case .grantProrated: "GRANT_PRORATED"
        }
    }
}
