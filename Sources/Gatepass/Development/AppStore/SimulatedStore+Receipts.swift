import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import StoreSimulator

/// verifyReceipt of the simulated App Store (`apple.md` §9.2). It takes app receipts, and the transaction receipts of
/// iOS 6 that `gatepass simulate receipt` writes.
extension SimulatedStore {
    /// The body of a question, in Apple's members.
    private struct Question: Decodable {
        let receipt: String?
        let secret: String?
        let excludesOld: Bool?

        /// Apple's names of the members.
        enum CodingKeys: String, CodingKey {
            case receipt = "receipt-data"
            case secret = "password"
            case excludesOld = "exclude-old-transactions"
        }
    }

    /// The answer about a receipt: its status is always 200, and the member `status` says what became of it. Throws if
    /// a file is broken.
    func receipt(_ body: [UInt8], in environment: StoreEnvironment) throws -> SimulatedAnswer {
        // `try?` drops the fault: Apple does not name it either.
        let question = try? JSONDecoder().decode(Question.self, from: Data(body))
        return SimulatedAnswer(status: 200, body: try json(try content(question, in: environment)))
    }

    private func content(_ question: Question?, in environment: StoreEnvironment) throws -> [String: Any] {
        // `try?` drops the defect: to Apple all are one.
        guard let text = question?.receipt, let receipt = try? LegacyReceipt(text) else { return ["status": 21_002] }
        guard question?.secret == (try installation.receiptSecret()) else { return ["status": 21_004] }
        let authority = try installation.receiptAuthority()
        let (sold, named): ([SimulatedTransaction], SimulatedTransaction?)
        switch receipt {
        case .transaction:
            let id = SimulatedReceiptAnswer.transactionID(in: text, signedBy: authority)
            sold = try self.sold()
            named = sold.first { $0.transactionId == id }
            guard let named else { return ["status": 21_003] }
            if named.environment != environment { return elsewhere(named.environment) }
        case .app(let app):
            let (verifier, name) = (ReceiptVerifier(roots: try authority.trustRoots), app.bundleID ?? "")
            // `try?` drops the reason: Apple names none either.
            guard
                let own = try? verifier.verify(app, for: [StoreApp(bundleId: name)], at: clock.now().milliseconds)
            else { return ["status": 21_003] }
            if own != environment { return elsewhere(own) }
            sold = try self.sold().filter { $0.bundleId == name }
            named = sold.first { app.purchases.contains($0.originalTransactionId) && $0.environment == environment }
            if named == nil {
                return ["status": 0, "environment": environment.rawValue, "receipt": self.app(name, in: environment)]
            }
        }
        guard let named else { return ["status": 21_003] }
        let account = sold.filter {
            $0.appTransactionId == named.appTransactionId && $0.environment == environment
                && $0.bundleId == named.bundleId
        }
        let periods = account.filter { $0.type == .autoRenewableSubscription }
        guard receipt != .transaction else { return old(named, periods, in: environment) }
        // The app finished its consumables, so they are gone from its receipt.
        var app = app(named.bundleId, in: environment)
        app["in_app"] = account.filter { $0.type != .consumable || $0.transactionId == named.transactionId }
            .map(SimulatedReceiptAnswer.item)
        var content: [String: Any] = ["status": 0, "environment": environment.rawValue, "receipt": app]
        guard !periods.isEmpty else { return content }
        let newest = Dictionary(grouping: periods, by: \.originalTransactionId).compactMap { $0.value.last }
        content["latest_receipt"] = text
        content["latest_receipt_info"] = (question?.excludesOld == true ? newest : periods)
            .sorted { $0.purchaseDate > $1.purchaseDate }.map(SimulatedReceiptAnswer.item)
        let now = clock.now().milliseconds
        content["pending_renewal_info"] = try KeptSubscription.all(in: installation).map(\.subscription)
            .filter { plan in newest.contains { $0.originalTransactionId == plan.originalTransactionId } }
            .map { SimulatedReceiptAnswer.pending($0.renewalInfo(signedAt: now)) }
        return content
    }

    /// The answer about a receipt of another environment.
    private func elsewhere(_ environment: StoreEnvironment) -> [String: Any] {
        ["status": environment == .sandbox ? 21_007 : 21_008]
    }

    /// The answer about a transaction receipt of iOS 6: one object in place of each list.
    private func old(
        _ named: SimulatedTransaction, _ periods: [SimulatedTransaction], in environment: StoreEnvironment
    ) -> [String: Any] {
        var receipt: [String: Any] = SimulatedReceiptAnswer.item(named)
        receipt["bid"] = named.bundleId
        var content: [String: Any] = ["status": 0, "environment": environment.rawValue, "receipt": receipt]
        let chain = periods.filter { $0.originalTransactionId == named.originalTransactionId }
        guard let newest = chain.max(by: { $0.purchaseDate < $1.purchaseDate }) else { return content }
        let hasEnded = newest.expiresDate.map { $0 <= clock.now().milliseconds } ?? false
        if hasEnded { content["status"] = 21_006 }
        content[hasEnded ? "latest_expired_receipt_info" : "latest_receipt_info"] = SimulatedReceiptAnswer.item(newest)
        return content
    }

    /// The member `receipt` of an app receipt, without purchases.
    private func app(_ bundleID: String, in environment: StoreEnvironment) -> [String: Any] {
        let isProduction = environment == .production
        let number = isProduction ? appleID(of: bundleID) ?? 0 : 0
        let dates = SimulatedReceiptAnswer.dates("receipt_creation_date", clock.now().milliseconds)
            .merging(SimulatedReceiptAnswer.dates("request_date", clock.now().milliseconds)) { $1 }
        let members: [String: Any] = [
            "receipt_type": isProduction ? "Production" : "ProductionSandbox", "adam_id": number, "app_item_id": number,
            "bundle_id": bundleID, "application_version": "1", "original_application_version": "1.0",
            "in_app": [] as [Any],
        ]
        return members.merging(dates) { $1 }
    }
}
