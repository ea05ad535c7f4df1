import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import JWTKit
import StoreSimulator

/// The history of the simulated App Store: everything that was sold, whether or not the server was told.
extension SimulatedStore: SimulatedAppStoreServer {
    /// The number of transactions on a page, as at Apple.
    private static let pageSize = 20

    /// The answer to a question, as Apple's (`apple.md` §9.2, §10.3). A question whose token the installation's key did
    /// not sign is answered 401. An environment knows only what was bought in it, and of that only what the token's app
    /// sold.
    ///
    /// Throws if a file is broken.
    func answer(to question: SimulatedQuestion) async throws -> SimulatedAnswer {
        if question.path == ["verifyReceipt"] {
            return try await faultyAnswer() ?? receipt(question.body, in: question.environment)
        }
        guard let app = try await app(signing: question.token),
            question.environment == .sandbox || installation.faults?.isUnapproved != true
        else { return SimulatedAnswer(status: 401) }
        if let answer = try await faultyAnswer() { return answer }
        let all = try sold().filter { $0.bundleId == app }
        let sold = all.filter { $0.environment == question.environment }
        switch (question.method, question.path.dropLast(), question.path.last) {
        case ("GET", ["inApps", "v2", "history"], let transaction?):
            return try history(of: transaction, after: question.revision, in: sold)
        case ("PUT", ["inApps", "v2", "transactions", "consumption"], let transaction?):
            return try take(consumption: question.body, of: transaction, in: sold)
        case ("PUT", let path, "appAccountToken")
        where path.count == 4 && path.prefix(3) == ["inApps", "v1", "transactions"]:
            return try take(accountToken: question.body, of: path[3], in: sold)
        // Apple looks up orders of Production alone. Here every purchase has one, so that it can be tried.
        case ("GET", ["inApps", "v1", "lookup"], let order?): return try self.order(order, in: all)
        case ("GET", ["inApps", "v1", "transactions"], let transaction?):
            return try self.transaction(transaction, in: sold)
        case ("GET", ["inApps", "v1", "subscriptions"], let transaction?):
            return try statuses(of: transaction, in: sold)
        case ("POST", ["inApps", "v1", "notifications"], "history"?): return try notifications(question)
        case ("POST", ["inApps", "v1", "notifications"], "test"?):
            return try sendTest(of: app, in: question.environment)
        case ("GET", ["inApps", "v1", "notifications", "test"], let token?):
            return try test(token, in: question.environment)
        default: return SimulatedAnswer(status: 404)
        }
    }

    /// The page of an Apple account's history; 404 for an unknown transaction.
    private func history(
        of transaction: String, after revision: String?, in sold: [SimulatedTransaction]
    ) throws -> SimulatedAnswer {
        guard let buyer = sold.first(where: { $0.names(transaction) }) else {
            return try refusal(4_040_010, "Transaction id not found.")
        }
        let account = sold.filter { $0.appTransactionId == buyer.appTransactionId }
        let start = revision.flatMap { Int($0) } ?? 0
        let page = account.dropFirst(start).prefix(Self.pageSize)
        let body: [String: Any] = [
            "revision": String(start + page.count), "hasMore": account.count > start + page.count,
            "bundleId": buyer.bundleId, "environment": buyer.environment.rawValue,
            "signedTransactions": try page.map { try signed($0) },
        ]
        return SimulatedAnswer(status: 200, body: try json(body))
    }

    /// The transactions of an order, whose number is the letter M and the transaction's id; status 1 for no order.
    private func order(_ id: String, in sold: [SimulatedTransaction]) throws -> SimulatedAnswer {
        let texts = try sold.filter { "M" + $0.transactionId == id }.map { try signed($0) }
        return SimulatedAnswer(
            status: 200, body: try json(["status": texts.isEmpty ? 1 : 0, "signedTransactions": texts]))
    }

    /// A transaction in its present state; 404 for an unknown one.
    private func transaction(_ id: String, in sold: [SimulatedTransaction]) throws -> SimulatedAnswer {
        guard let sold = sold.last(where: { $0.transactionId == id }) else {
            return try refusal(4_040_010, "Transaction id not found.")
        }
        return SimulatedAnswer(status: 200, body: try json(["signedTransactionInfo": try signed(sold)]))
    }

    /// The newest texts of each plan of an Apple account; 404 for an unknown transaction.
    private func statuses(of transaction: String, in sold: [SimulatedTransaction]) throws -> SimulatedAnswer {
        guard let buyer = sold.first(where: { $0.names(transaction) }) else {
            return try refusal(4_040_010, "Transaction id not found.")
        }
        let now = clock.now().milliseconds
        let plans = try KeptSubscription.all(in: installation).map(\.subscription).filter {
            $0.buyer.appTransactionId == buyer.appTransactionId && $0.buyer.bundleId == buyer.bundleId
                && $0.buyer.environment == buyer.environment.rawValue
        }
        let groups = try Dictionary(grouping: plans, by: \.buyer.subscriptionGroup).sorted { $0.key < $1.key }.map {
            group in
            let chains = try group.value.map { plan -> [String: Any] in
                [
                    "originalTransactionId": plan.originalTransactionId, "status": plan.status(at: now).rawValue,
                    "signedTransactionInfo": try signed(plan.transaction(of: plan.newest, signedAt: now)),
                    "signedRenewalInfo": text(
                        of: try installation.authority().sign(plan.renewalInfo(signedAt: now)).text),
                ]
            }
            return ["subscriptionGroupIdentifier": group.key, "lastTransactions": chains] as [String: Any]
        }
        let body: [String: Any] = [
            "environment": buyer.environment.rawValue, "bundleId": buyer.bundleId, "data": groups,
        ]
        return SimulatedAnswer(status: 200, body: try json(body))
    }

    /// A page of the notifications of an environment that were sent, the oldest first. They are of all apps.
    private func notifications(_ question: SimulatedQuestion) throws -> SimulatedAnswer {
        // `try?` drops the error: what is no JSON has no dates.
        let asked = (try? JSONSerialization.jsonObject(with: Data(question.body))) as? [String: Any] ?? [:]
        guard let start = asked["startDate"] as? Int64, let end = asked["endDate"] as? Int64, start <= end else {
            return try refusal(4_000_013, "The start date is after the end date.")
        }
        let all: [KeptDelivery] = try installation.documents(in: installation.notified)
        let listed = all.filter {
            start <= $0.signedAt && $0.signedAt <= end && $0.environment == question.environment.rawValue
        }.sorted {
            ($0.signedAt, $0.uuid) < ($1.signedAt, $1.uuid)
        }
        let place = question.paginationToken.flatMap { Int($0) } ?? 0
        let page = listed.dropFirst(place).prefix(Self.pageSize)
        let body: [String: Any] = [
            "notificationHistory": page.map(sent),
            "hasMore": listed.count > place + page.count, "paginationToken": String(place + page.count),
        ]
        return SimulatedAnswer(status: 200, body: try json(body))
    }

    /// Request a Test Notification: one is sent within a second, and the answer has its token.
    private func sendTest(of app: String, in environment: StoreEnvironment) throws -> SimulatedAnswer {
        let event = SimulatedEvent.test(bundleId: app, environment: environment, at: clock.now().milliseconds)
        let notification = try event.notification(
            uuid: Surroundings.accountToken().description.lowercased(), appAppleId: appleID(of: app),
            signedBy: try installation.authority())
        let delivery = KeptDelivery(
            notification.notificationUUID, try installation.authority().sign(notification).text, in: environment,
            about: "test notification", signedAt: event.signedDate)
        try delivery.due(at: clock.now()).keep(in: installation)
        return SimulatedAnswer(status: 200, body: try json(["testNotificationToken": delivery.testToken]))
    }

    /// Get Test Notification Status; 404 until the outcome of the first attempt is known.
    private func test(_ token: String, in environment: StoreEnvironment) throws -> SimulatedAnswer {
        guard token.split(separator: "_").count == 2 else {
            return try refusal(4_000_020, "Invalid test notification token.")
        }
        let all: [KeptDelivery] = try installation.documents(in: installation.notified)
        let kept = all.first { $0.testToken == token && $0.environment == environment.rawValue }
        guard let kept, kept.sent != nil else {
            return try refusal(4_040_008, "Test notification not found.")
        }
        return SimulatedAnswer(status: 200, body: try json(sent(kept)))
    }

    private func sent(_ kept: KeptDelivery) -> [String: Any] {
        let attempts = (kept.sent ?? []).map {
            ["attemptDate": $0.at, "sendAttemptResult": $0.result] as [String: Any]
        }
        return ["signedPayload": text(of: kept.signedPayload), "sendAttempts": attempts]
    }

    /// The compact JWS of a transaction, signed now.
    private func signed(_ transaction: SimulatedTransaction) throws -> String {
        text(of: try installation.authority().sign(transaction.signed(at: clock.now().milliseconds)).text)
    }

    /// A signed text as the store writes it: another one with the same content while it is told to write wrong ones.
    private func text(of signed: String) -> String {
        installation.faults?.hasWrongTexts == true ? String(signed.dropLast(8)) + "AAAAAAAA" : signed
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

    /// The bundle id in a token; nil if the installation's key did not sign it.
    private func app(signing token: String) async throws -> String? {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PrivateKey(pem: installation.appStoreKey()))
        // `try?` drops the reason, which a real store does not tell either.
        return (try? await keys.verify(token, as: AppleToken.self))?.bid
    }

    /// The answer to a refused question: its status is the first three digits of the code (`apple.md` §10.4).
    func refusal(_ code: Int, _ message: String) throws -> SimulatedAnswer {
        SimulatedAnswer(status: code / 10_000, body: try json(["errorCode": code, "errorMessage": message]))
    }

    /// The bytes of a JSON object. Throws nothing in practice.
    func json(_ body: [String: Any]) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: body, options: [.sortedKeys]))
    }
}

extension SimulatedTransaction {
    /// True if `id` is one of those by which Apple finds the transaction's account.
    func names(_ id: String) -> Bool {
        id == transactionId || id == originalTransactionId || id == appTransactionId
    }
}
