import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import JWTKit
import StoreSimulator

/// The history of the simulated App Store: everything that was sold, whether or not the server was told.
extension SimulatedStore: SimulatedAppStoreServer {
    /// The base address of the simulated API; nil before the server listens.
    nonisolated var serverAddress: String? { installation.runningAddress.map { $0 + "/dev/apple" } }

    /// The number of transactions on a page, as at Apple.
    private static let pageSize = 20

    /// The answer to a question, as Apple's (`apple.md` §10.3). A question whose token the installation's key did not
    /// sign is answered 401.
    ///
    /// Throws if a file is broken.
    func answer(to question: SimulatedQuestion) async throws -> SimulatedAnswer {
        guard try await isSigned(question.token) else { return SimulatedAnswer(status: 401) }
        switch (question.method, question.path.dropLast(), question.path.last) {
        case ("GET", ["inApps", "v2", "history"], let transaction?):
            return try history(of: transaction, after: question.revision)
        case ("PUT", ["inApps", "v2", "transactions", "consumption"], let transaction?):
            return try take(consumption: question.body, of: transaction)
        case ("PUT", let path, "appAccountToken")
        where path.count == 4 && path.prefix(3) == ["inApps", "v1", "transactions"]:
            return try take(accountToken: question.body, of: path[3])
        case ("GET", ["inApps", "v1", "lookup"], let order?): return try self.order(order)
        default: return SimulatedAnswer(status: 404)
        }
    }

    /// The page of an Apple account's history; 404 for an unknown transaction.
    private func history(of transaction: String, after revision: String?) throws -> SimulatedAnswer {
        let sold = try sold()
        guard let buyer = sold.first(where: { $0.names(transaction) }) else {
            return try refusal(4_040_010, "Transaction id not found.")
        }
        let account = sold.filter {
            $0.appTransactionId == buyer.appTransactionId && $0.environment == buyer.environment
                && $0.bundleId == buyer.bundleId
        }
        let start = revision.flatMap { Int($0) } ?? 0
        let page = account.dropFirst(start).prefix(Self.pageSize)
        let (authority, now) = (try installation.authority(), clock.now().milliseconds)
        let body: [String: Any] = [
            "revision": String(start + page.count), "hasMore": account.count > start + page.count,
            "bundleId": buyer.bundleId, "environment": buyer.environment.rawValue,
            "signedTransactions": try page.map { try authority.sign($0.signed(at: now)).text },
        ]
        return SimulatedAnswer(status: 200, body: try json(body))
    }

    /// The transactions of an order, whose number is the letter M and the transaction's id; status 1 for no order.
    private func order(_ id: String) throws -> SimulatedAnswer {
        let (authority, now) = (try installation.authority(), clock.now().milliseconds)
        let ordered = try sold().filter { "M" + $0.transactionId == id }
        let texts = try ordered.map { try authority.sign($0.signed(at: now)).text }
        return SimulatedAnswer(
            status: 200, body: try json(["status": texts.isEmpty ? 1 : 0, "signedTransactions": texts]))
    }

    /// All transactions in their present state, the last changed last.
    func sold() throws -> [SimulatedTransaction] {
        let purchases = try SoldPurchase.all(in: installation).filter { $0.isAskedFor != true }.map(\.transaction)
        let periods = try KeptSubscription.all(in: installation).flatMap { kept in
            kept.subscription.periods.map {
                kept.subscription.transaction(of: $0, signedAt: kept.subscription.signedAt)
            }
        }
        return (purchases + periods).sorted { ($0.signedDate, $0.transactionId) < ($1.signedDate, $1.transactionId) }
    }

    private func isSigned(_ token: String) async throws -> Bool {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PrivateKey(pem: installation.appStoreKey()))
        // `try?` drops the reason, which a real store does not tell either.
        return (try? await keys.verify(token, as: AppleToken.self)) != nil
    }

    /// The answer to a refused question: its status is the first three digits of the code (`apple.md` §10.4).
    func refusal(_ code: Int, _ message: String) throws -> SimulatedAnswer {
        SimulatedAnswer(status: code / 10_000, body: try json(["errorCode": code, "errorMessage": message]))
    }

    private func json(_ body: [String: Any]) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: body, options: [.sortedKeys]))
    }
}

extension SimulatedTransaction {
    fileprivate func names(_ id: String) -> Bool {
        id == transactionId || id == originalTransactionId || id == appTransactionId
    }
}
