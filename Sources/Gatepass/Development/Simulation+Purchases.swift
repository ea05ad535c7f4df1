import AppStore
import ArgumentParser
import Entitlements
import Foundation
import StoreSimulator

extension Simulation {
    /// Sells a pass, an add-on or credits. Throws if an option has a wrong value, and the exit status 1 if the server
    /// refuses the purchase.
    func purchase() async throws {
        guard has(.byNotification) || !(has(.hold) || has(.twice)) else {
            throw ValidationError("--hold and --twice are about the notification: add --by-notification")
        }
        let catalogue = try catalogue()
        var sold = try sold(from: catalogue)
        try await reporting {
            sold.accountToken = try await accountToken(of: try userID())
            sold.isAskedFor = has(.askToBuy) ? true : nil
            sold.isTold = has(.byNotification) ? true : nil
            try sold.keep(in: installation)
            guard !has(.askToBuy) else {
                return print("\(sold.user) asked to buy \(sold.product): `gatepass simulate approve` buys it")
            }
            guard has(.byNotification) else { return try await attach(sold) }
            sold.delivered = true
            try await tell(of: sold, in: catalogue, by: .notification)
        }
    }

    /// Sells something of which the server hears nothing: the app does not attach it, and no notification comes. Throws
    /// if an option has a wrong value.
    func lose() async throws {
        let sold = try sold(from: try catalogue())
        try await reporting(tellsServer: false) {
            try sold.keep(in: installation)
            let words = "\(try words(for: sold)), and the server was not told"
            print(has(.json) ? try JSONText.pretty(["transaction_id": sold.transactionID, "words": words]) : words)
        }
    }

    /// Restores, as the user's app would, the purchases that the server was told of. Throws the exit status 1 if there
    /// are none, if no server runs or it refuses the restore.
    func restore() async throws {
        try await reporting {
            let sold = try SoldPurchase.all(in: installation).filter { $0.user == user && $0.delivered }
            guard !sold.isEmpty else {
                throw SimulatedSale.Failure(
                    description: "the app of \(user) has nothing to restore: run `gatepass simulate purchase` first")
            }
            let texts = try sold.map { try installation.authority().sign($0.transaction).text }
            let (server, id) = (try RunningServer(on: installation), try userID())
            let answer = try await server.restore(texts, as: id).required()
            guard !has(.json) else { return print(answer.body) }
            print("\(user) restored \(RestoreLine(answer).text)")
            print(StatusLine(of: id, try await server.status(of: id)).text)
        }
    }

    /// Prints the app receipt of the Apple account that made the user's newest purchase, or a transaction receipt, as
    /// an app of iOS 6 has it, about `--transaction`. Throws the exit status 1 if there is no such purchase.
    func printReceipt() async throws {
        try await reporting(tellsServer: false) {
            let sold = try SoldPurchase.all(in: installation).filter { $0.user == user && $0.isAskedFor != true }
            let periods = try KeptSubscription.all(in: installation).filter { $0.user == user }.flatMap { kept in
                kept.subscription.periods.map { kept.subscription.transaction(of: $0, signedAt: at) }
            }
            let found = (sold.map(\.transaction) + periods).filter {
                options.transaction == nil || $0.transactionId == options.transaction
            }
            guard let newest = found.max(by: { $0.purchaseDate < $1.purchaseDate }) else {
                throw SimulatedSale.Failure(description: "\(user) bought no such thing here")
            }
            let authority = try installation.receiptAuthority()
            if options.transaction != nil {
                return print(try SimulatedReceiptAnswer.transactionReceipt(of: newest, signedBy: authority))
            }
            let account = found.filter {
                $0.bundleId == newest.bundleId && $0.environment == newest.environment
                    && $0.appTransactionId == newest.appTransactionId
            }
            var receipt = SimulatedReceipt(
                account.map { .init($0.transactionId, of: $0.originalTransactionId, product: $0.productId) },
                ofApp: newest.bundleId, at: at)
            receipt.type = newest.environment == .production ? "Production" : "ProductionSandbox"
            print(Data(try receipt.signed(by: authority)).base64EncodedString())
        }
    }

    /// Plays a parent who approves a child's purchase, or declines it. Throws the exit status 1 if no purchase waits
    /// for approval or the server refuses it.
    func approve() async throws {
        let catalogue = try catalogue()
        try await reporting {
            let asked = try SoldPurchase.all(in: installation).filter {
                $0.isAskedFor == true && $0.user == user
                    && (options.transaction == nil || $0.transactionID == options.transaction)
            }
            guard var sold = asked.max(by: { $0.transactionID < $1.transactionID }) else {
                throw SimulatedSale.Failure(
                    description: "\(user) asked for nothing here: run `gatepass simulate purchase --ask-to-buy` first")
            }
            guard !has(.decline) else {
                sold.remove(from: installation)
                return print("\(sold.product) was declined; Apple tells nobody")
            }
            sold.approve(at: at)
            try await tell(of: sold, in: catalogue, by: sold.isTold == true ? .notification : .appAndNotification)
        }
    }

    /// The sale that a story is about. A purchase that was only printed (`--print`) counts as delivered once the
    /// running server has it. Throws if there is no sale, or if a running server gives no complete answer.
    func sale() async throws -> SimulatedSale {
        let printed = try SoldPurchase.all(in: installation).filter {
            $0.user == user && !$0.delivered && $0.isAskedFor != true
        }
        if options.transaction == nil, !printed.isEmpty, installation.runningAddress != nil {
            let known = try await RunningServer(on: installation).purchases(of: try userID())
            for var sold in printed where known.contains(sold.transactionID) {
                sold.delivered = true
                try sold.keep(in: installation)
            }
        }
        return try SimulatedSale.find(options.transaction, of: user, in: installation)
    }

    /// Plays a refund, its reversal or the end of Family Sharing. `change` applies it to a one-time purchase, and `act`
    /// to a period of a plan. The event is then delivered, with `words` as its description.
    ///
    /// Throws the exit status 1 if there is no sale, the event does not fit it or the server refuses the event.
    func revise(
        _ words: String, purchase change: (inout SoldPurchase) throws -> NotificationType,
        period act: (inout SimulatedSubscription, String?) throws -> SimulatedEvent
    ) async throws {
        let delivery = EventDelivery(self, try catalogue())
        try await reporting {
            switch try await sale() {
            case .purchase(var sold):
                try SimulatedSale.require(at, after: sold.purchasedAt, "transaction \(sold.transactionID) was bought")
                let type = try change(&sold)
                sold.signedAt = max(at, sold.signedAt + 1)
                sold.delivered = sold.delivered || !has(.print)
                try await delivery.deliver(
                    "\(words) transaction \(sold.transactionID) (\(sold.product))",
                    SimulatedEvent(type, about: sold.transaction), by: route
                ) { try sold.keep(in: installation) }
            case .subscription(var kept):
                try SimulatedSale.require(at, after: kept.subscription.signedAt, "the newest text was signed")
                let event = try SimulatedSale.begun { try act(&kept.subscription, options.transaction) }
                let period = event.transaction.map { "\($0.transactionId) (\($0.productId))" } ?? ""
                try await delivery.deliver("\(words) transaction \(period)", event, by: route) {
                    try kept.keep(in: installation)
                }
            }
        }
    }

    /// The account token of the purchase: the value of `--account-token`, or the user's own from the running server if
    /// only the token can name the user; else nil. Throws if the option is no UUID, and `RunningServer.Failure` if no
    /// server runs.
    func accountToken(of user: UserID) async throws -> String? {
        if let given = try givenToken() { return given }
        guard has(.byNotification), !has(.familyShared) else { return nil }
        guard installation.runningAddress != nil else {
            throw RunningServer.Failure(
                description:
                    "no server runs in \(installation.directory.path) that could issue an account token: start "
                    + "one, or name a token with --account-token")
        }
        return try await RunningServer(on: installation).accountToken(of: user)
    }

    /// The token of `--account-token`, if it is given. Throws if it is no UUID.
    func givenToken() throws -> String? {
        guard let text = options.accountToken else { return nil }
        guard let token = AccountToken(text) else {
            throw ValidationError("--account-token \(text): write a UUID")
        }
        return token.description
    }

    /// Prints the signed text, or attaches it as the user's app would and prints what came of it. If the server accepts
    /// it, the purchase is stored as delivered. Throws `RunningServer.Failure` if no server runs or it refuses the
    /// purchase.
    private func attach(_ sold: SoldPurchase) async throws {
        let text = try installation.authority().sign(sold.transaction).text
        var document: [String: Any] = ["transaction_id": sold.transactionID, "jws": text]
        guard !has(.print) else { return print(has(.json) ? try JSONText.pretty(document) : text) }
        let (server, user) = (try RunningServer(on: installation), try userID())
        let answer = try await server.attach(text, as: user)
        if has(.json) {
            document["answer"] = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
            print(try JSONText.pretty(document))
        } else {
            let reason = (answer.members["reason"] as? String).map { ", \($0)" } ?? ""
            let result = NotificationAnswer(answer, nextAttempt: nil).words + reason
            print("\(try words(for: sold)): \(result)")
            print(StatusLine(of: user, try await server.status(of: user)).text)
        }
        guard answer.isOK else {
            let detail = (answer.members["detail"] as? String).map { ": \($0)" } ?? ""
            throw RunningServer.Failure(description: "the server answered \(answer.status)\(detail)")
        }
        var delivered = sold
        delivered.delivered = true
        try delivered.keep(in: installation)
    }

    /// The beginning of a sentence about a purchase, with the length where the catalogue shortens it for the Sandbox.
    private func words(for sold: SoldPurchase) throws -> String {
        let words = "\(sold.user) bought \(sold.product) as \(sold.transactionID)"
        let product = try catalogue().products.first { $0.id.text == sold.product }
        guard sold.environment == StoreEnvironment.sandbox.rawValue, case .pass(_, _, let minutes?)? = product?.terms
        else { return words }
        return words + ", \(Instant.words(ofLength: Pass.length(minutes: minutes, quantity: Int(sold.quantity))))"
    }

    private func tell(of sold: SoldPurchase, in catalogue: Catalogue, by route: EventDelivery.Route) async throws {
        try await EventDelivery(self, catalogue).deliver(
            try words(for: sold), .oneTimeCharge(sold.transaction), by: route
        ) { try sold.keep(in: installation) }
    }

    private func sold(from catalogue: Catalogue) throws -> SoldPurchase {
        let quantity = options.quantity ?? 1
        guard (1...10).contains(quantity) else { throw ValidationError("--quantity \(quantity): write 1 to 10") }
        let products = catalogue.products.filter { $0.source == .appleIAP }
        let known = products.first {
            options.product == nil ? $0.terms.kind == .pass : $0.id.text == options.product
        }
        guard let id = options.product ?? known?.id.text, let app = known?.app ?? catalogue.apps.first?.id else {
            throw ValidationError("the catalogue sells no pass: name a product with --product")
        }
        let type: ProductType =
            switch known?.terms.kind ?? .pass {
            case .pass: .nonRenewingSubscription
            case .addOn: .nonConsumable
            case .consumable: .consumable
            case .plan: throw ValidationError("\(id) is a plan: use `gatepass simulate subscribe`")
            }
        return SoldPurchase(
            transactionID: SoldPurchase.newTransactionID(), user: user, product: id, type: type.rawValue,
            bundleID: app.text, purchasedAt: at, quantity: quantity, environment: try environment().rawValue,
            appleAccount: options.appleAccount, accountToken: try givenToken(), signedAt: at, delivered: false,
            isFamilyMember: has(.familyShared) ? true : nil)
    }
}
