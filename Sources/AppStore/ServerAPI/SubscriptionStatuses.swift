import StrictJSON

/// The newest texts of each subscription of an Apple account, from Get All Subscription Statuses.
package struct SubscriptionStatuses: Sendable {
    /// The texts of one chain.
    package struct Chain: Sendable {
        /// The original transaction id in Apple's answer.
        package let originalTransactionId: String
        package let transaction: SignedTransaction
        package let renewalInfo: SignedRenewalInfo?
        /// True if Apple answers that the chain is in its billing grace period (status 4).
        package let isInGrace: Bool
    }

    package let chains: [Chain]

    /// Reads Apple's answer; nil for anything else. Nothing in it is verified yet.
    init?(_ body: [UInt8]) {
        // `try?` drops the defect: the answer is of no use, whatever is wrong with it.
        guard let json = try? JSONValue(StrictJSON(body, boundsNames: false)), let groups = json["data"]?.elements
        else { return nil }
        var chains: [Chain] = []
        for chain in groups.flatMap({ $0["lastTransactions"]?.elements ?? [] }) {
            guard let id = chain["originalTransactionId"]?.string,
                let transaction = chain["signedTransactionInfo"]?.string
            else { return nil }
            chains.append(
                Chain(
                    originalTransactionId: id, transaction: SignedTransaction(transaction),
                    renewalInfo: chain["signedRenewalInfo"]?.string.map { SignedRenewalInfo($0) },
                    isInGrace: chain["status"]?.integer == String(SubscriptionStatus.gracePeriod.rawValue)))
        }
        self.chains = chains
    }
}
