extension ConsumptionAnswer {
    /// The answer in words, as timelines show it.
    package var words: String {
        let use = share.map { "\(Revocation.percent($0)) used" }
        let parts = [isDelivered ? "delivered" : "not delivered", use, preference.words]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

extension RefundPreference {
    fileprivate var words: String? {
        switch self {
        case .none: nil
        case .decline: "no refund wanted"
        case .grantFull: "a full refund wanted"
        case .grantProrated: "a refund of the unused part wanted"
        }
    }
}

extension ConsumptionSilence {
    /// The reason in words, as timelines show it.
    package var words: String {
        switch self {
        case .notConfigured: "there were no App Store credentials"
        case .unowned: "nobody had the purchase"
        case .erased: "the person was erased"
        case .noConsent: "the user had not allowed it"
        case .refunded: "everything was refunded already"
        case .late: "it was too late"
        case .refused: "Apple refused the answer"
        }
    }
}
