import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import StoreSimulator

/// A text that the server told the simulated App Store about a transaction, stored as a file of the installation.
struct ToldText: Codable {
    /// The id in the path of the request.
    let transaction: String
    /// The body, which is JSON in Apple's members.
    let body: String
    /// The instant of the request, in milliseconds since the epoch.
    let at: Int64

    /// Writes the text to a file of its own. Throws an error of the file system.
    func keep(in installation: Installation) throws {
        let file = installation.told.appendingPathComponent("\(at)-\(Surroundings.id()).json")
        try installation.write(String(decoding: try JSONEncoder().encode(self), as: UTF8.self), to: file)
    }

    /// All texts about a transaction, the oldest first. Throws if a file is broken.
    static func all(about transaction: String, in installation: Installation) throws -> [ToldText] {
        let texts: [ToldText] = try installation.documents(in: installation.told)
        return texts.filter { $0.transaction == transaction }.sorted { $0.at < $1.at }
    }
}

extension Installation {
    /// The folder of what the simulated App Store was told.
    var told: URL { directory.appendingPathComponent("told") }
}

/// The part of the simulated API that the server tells something (`apple.md` §10.3, §10.5).
extension SimulatedStore {
    /// Takes Send Consumption Information V2, and refuses what Apple refuses. Where the number of Apple's error is not
    /// known, it is that of a bad request. Throws if a file is broken.
    func take(
        consumption body: [UInt8], of transaction: String, in sold: [SimulatedTransaction]
    ) throws -> SimulatedAnswer {
        guard let sold = sold.first(where: { $0.transactionId == transaction }) else {
            return try refusal(4_040_010, "Transaction id not found.")
        }
        guard let form = ConsumptionForm(body) else { return try refusal(4_000_000, "Bad request.") }
        if let fault = form.fault(about: sold.type) { return try refusal(fault.code, fault.message) }
        try keep(body, about: transaction)
        return SimulatedAnswer(status: 202)
    }

    /// Takes Set App Account Token: later texts of the purchase carry the token. Throws if a file is broken.
    func take(
        accountToken body: [UInt8], of transaction: String, in sold: [SimulatedTransaction]
    ) throws -> SimulatedAnswer {
        let form = try? JSONDecoder().decode([String: String].self, from: Data(body))  // another form has no UUID
        guard let token = form?["appAccountToken"].flatMap({ AccountToken($0) }) else {
            return try refusal(4_000_183, "Invalid app account token UUID.")
        }
        guard let sold = sold.first(where: { $0.transactionId == transaction }) else {
            return try refusal(4_040_010, "Transaction id not found.")
        }
        guard sold.inAppOwnershipType != .familyShared else {
            return try refusal(4_000_185, "Family transactions are not supported.")
        }
        guard sold.originalTransactionId == transaction else {
            return try refusal(4_000_187, "The transaction id is not an original transaction id.")
        }
        let text = token.description.lowercased()
        if var purchase = try SoldPurchase.find(transaction, of: "", in: installation) {
            purchase.accountToken = text
            purchase.signedAt = max(clock.now().milliseconds, purchase.signedAt + 1)
            try purchase.keep(in: installation)
        } else if var kept = try KeptSubscription.find(transaction, of: "", in: installation) {
            kept.subscription.name(accountToken: text)
            try kept.keep(in: installation)
        }
        try keep(body, about: transaction)
        return SimulatedAnswer(status: 200)
    }

    private func keep(_ body: [UInt8], about transaction: String) throws {
        let text = String(decoding: body, as: UTF8.self)
        try ToldText(transaction: transaction, body: text, at: clock.now().milliseconds).keep(in: installation)
    }
}

/// The body of Send Consumption Information V2.
private struct ConsumptionForm: Decodable {
    let customerConsented: Bool?
    let sampleContentProvided: Bool?
    let deliveryStatus: String?
    let consumptionPercentage: Int64?
    let refundPreference: String?

    private static let statuses: Set<String> = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
    private static let preferences: Set<String> = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]

    /// Reads a body; nil for any other form.
    init?(_ body: [UInt8]) {
        // `try?` drops the fault: Apple does not name it either.
        guard let form = try? JSONDecoder().decode(Self.self, from: Data(body)) else { return nil }
        self = form
    }

    /// The code and message of the error for which Apple refuses the body; nil if Apple takes it.
    func fault(about type: ProductType) -> (code: Int, message: String)? {
        let isRenewable = type == .autoRenewableSubscription
        let isProrated = refundPreference == "GRANT_PRORATED"
        guard customerConsented == true else { return (4_000_035, "Invalid customer consented.") }
        guard sampleContentProvided != nil else { return (4_000_041, "Invalid sample content provided.") }
        guard deliveryStatus.map(Self.statuses.contains) == true else { return (4_000_036, "Invalid delivery status.") }
        guard refundPreference.map(Self.preferences.contains) != false else {
            return (4_000_044, "Invalid refund preference.")
        }
        if let consumptionPercentage {
            guard !(isRenewable && isProrated) else { return (4_000_209, "Consumption percentage is not allowed.") }
            guard (0...100_000).contains(consumptionPercentage),
                deliveryStatus == "DELIVERED" || consumptionPercentage == 0
            else { return (4_000_000, "Invalid consumption percentage.") }
        }
        guard !isProrated || isRenewable || (1..<100_000).contains(consumptionPercentage ?? 0) else {
            return (4_000_044, "Invalid refund preference.")
        }
        return nil
    }
}
