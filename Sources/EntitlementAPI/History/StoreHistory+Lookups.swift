package import AppStore
package import Entitlements
import LedgerStore

/// What Apple showed about the purchases of look-ups.
struct LookedUp: Sendable {
    /// The genuine transactions of these purchases, and of no others.
    var purchases: [ShownPurchase] = []
    /// The purchases about which Apple answered, by their ids.
    var answered: Set<String> = []
    /// The failure that ended the look-ups early; a job goes on.
    var failure: StoreHistory.Failure?
}

/// Look-ups: Apple is asked about purchases that an unsigned text names (`semantics.md` §6).
extension StoreHistory {
    /// The most transactions after which the rest of the look-ups is left to a job.
    private static let maximumShown = 500

    /// Does the look-ups that are owed to a person, or to nobody. For a person they are claimed like a restore, without
    /// proof; of nobody they are recorded like a notification.
    ///
    /// - Throws: ``Failure``, after everything that was shown before is recorded.
    package func lookUp(for person: UInt64) async throws(Failure) {
        while let owed = try await served({ (store) async throws(ServiceFailure) in
            try await store.lookups.owed(to: person)
        }) {
            let found = await find(owed, of: person)
            try await settle(found, owed, of: person)
            if let failure = found.failure { throw failure }
        }
        try await served { (store) async throws(ServiceFailure) in try await store.lookups.finish([], of: person) }
    }

    /// Asks Apple about the purchases of look-ups. Of the histories only these purchases are kept, so whoever shows
    /// somebody's receipt learns nothing of the rest of that Apple account.
    func find(_ owed: OwedLookups, of person: UInt64) async -> LookedUp {
        var found = LookedUp()
        let ids = Set(owed.numbers.map(\.id))
        for number in owed.numbers where !found.answered.contains(number.id) {
            guard found.purchases.count < Self.maximumShown else { break }
            do throws(Failure) {
                let shown = try await history(of: number, of: person).filter {
                    ids.contains($0.state.key.externalID.text)
                }
                // Several numbers may be of one Apple account, whose history has all of them.
                let new = shown.filter { !found.answered.contains($0.state.key.externalID.text) }
                found.purchases += new
                found.answered.formUnion(new.map(\.state.key.externalID.text))
                found.answered.insert(number.id)
            } catch {
                tell(error)
                found.failure = error
                break
            }
        }
        return found
    }

    /// Records what Apple showed, and notes that it answered. If the person was erased meanwhile, nothing is recorded.
    ///
    /// - Throws: ``Failure``.
    func settle(_ found: LookedUp, _ owed: OwedLookups, of person: UInt64) async throws(Failure) {
        let isOwed = try await served { (store) async throws(ServiceFailure) in
            try await store.lookups.owed(to: person) != nil
        }
        guard isOwed else { return }
        for (key, shown) in Dictionary(grouping: found.purchases, by: \.state.key).sorted(by: { $0.key < $1.key }) {
            if let user = owed.user {
                try await claim(shown, of: key, for: user)
            } else {
                try await place(shown, of: key)
            }
        }
        guard !found.answered.isEmpty else { return }
        try await served { (store) async throws(ServiceFailure) in
            try await store.lookups.finish(found.answered.sorted(), of: person)
        }
    }

    private func claim(_ shown: [ShownPurchase], of key: PurchaseKey, for user: UserID) async throws(Failure) {
        let (purchases, rules) = (shown.map(\.state), rules)
        // The news names the user only so that one who was erased while Apple was asked does not come back.
        var news = DeliveryNews(in: key.space)
        news.users = [user]
        try await served { [news] (store) async throws(ServiceFailure) in
            _ = try await store.ledger.record(shown.map(\.evidence), for: [], placing: news) {
                history, fold -> Decision<Void, Never> in
                guard !history.erased.contains(user) else { return Decision(answer: .success(())) }
                let context = ClaimContext(rules: rules, fold: fold)
                return Restore(purchases, to: user, proof: nil, in: context).decide(given: history).mapReply { _ in }
            }
        }
    }

    /// Records transactions like those of a notification: an account token names who gets a purchase of nobody.
    private func place(_ shown: [ShownPurchase], of key: PurchaseKey) async throws(Failure) {
        var news = DeliveryNews(in: key.space)
        news.about = key
        if let newest = shown.max(by: { $0.state.signedAt < $1.state.signedAt }) {
            news.token = newest.state.accountToken
            let token = newest.transaction.payload.appAccountToken.flatMap { AccountToken($0) }
            if rules.decodesLegacyTokens, let user = token?.legacyUserID { news.users = [user] }
        }
        try await served { [news, rules] (store) async throws(ServiceFailure) in
            _ = try await store.ledger.record(shown.map(\.evidence), for: [], placing: news) {
                history, _ -> Decision<Void, Never> in
                // There is no delivery, so its placement is left out.
                let placed = PlaceDelivery(news, as: 0, under: rules).decide(given: history)
                return Decision(bindings: placed.bindings, answer: .success(()))
            }
        }
    }

    /// The genuine transactions of the Apple account that made a purchase; none if Apple does not know the purchase.
    /// The app that was named beside it is asked about first.
    ///
    /// - Throws: ``Failure``. A history that was not read to its end is no answer.
    private func history(of number: OwedLookups.Number, of person: UInt64) async throws(Failure) -> [ShownPurchase] {
        for app in apps.sorted(by: { $0 == number.app && $1 != number.app }) {
            var (shown, environment, revision): ([ShownPurchase], StoreEnvironment?, String?) = ([], nil, nil)
            while true {
                try await served { (store) async throws(ServiceFailure) in try await store.lookups.hold(person) }
                guard let (page, answering) = try await page(of: number.id, after: revision, app, environment) else {
                    break
                }
                shown += try await genuine(page.signed)
                // A list that stands still would never end.
                if !page.hasMore || page.revision == revision { return shown }
                (environment, revision) = (answering, page.revision)
            }
        }
        return []
    }

    /// A page of a history, and the environment that has it; nil if Apple refuses for good.
    private func page(
        of id: String, after revision: String?, _ app: AppID, _ environment: StoreEnvironment?
    ) async throws(Failure) -> (HistoryPage, StoreEnvironment)? {
        do throws(AppStoreServerFailure) {
            if let environment {
                let page = try await server.history(of: id, after: revision, about: app, in: environment)
                return (page, environment)
            }
            let (body, answering) = try await server.ask(.history(of: id, after: revision), about: app)
            guard let page = HistoryPage(body) else { throw .unreadable }
            return (page, answering)
        } catch {
            guard error.isFinal else { throw .apple(error) }
            if error != .refused(code: 4_040_010) { tell(.apple(error)) }
            return nil
        }
    }
}

/// A transaction of an order, as Apple shows it now.
package struct OrderedTransaction: Sendable {
    package let state: VerifiedPurchase
    /// The user who has the purchase; nil if nobody has it, or an erased person.
    package let owner: UserID?
}

extension StoreHistory {
    /// The transactions of an order, which are recorded and given to nobody; none if Apple does not know the order.
    /// Every app of the catalogue is asked about, in Production, which alone has orders.
    ///
    /// - Throws: ``Failure``.
    package func order(_ id: OrderID) async throws(Failure) -> [OrderedTransaction] {
        var (shown, isAnswered): ([ShownPurchase], Bool) = ([], false)
        for app in apps {
            let body: [UInt8]
            do throws(AppStoreServerFailure) {
                body = try await server.ask(.order(id.text), about: app, in: .production)
            } catch {
                // The key is not accepted for an app that was never approved, which has no orders.
                guard error.isFinal || error == .keyNotAccepted && apps.count > 1 else { throw .apple(error) }
                isAnswered = isAnswered || error.isFinal
                continue
            }
            guard let answer = OrderAnswer(body) else { throw .apple(.unreadable) }
            isAnswered = true
            shown += try await genuine(answer.signed)
        }
        guard isAnswered || apps.isEmpty else { throw .apple(.keyNotAccepted) }
        guard !shown.isEmpty else { return [] }
        let evidence = shown.map(\.evidence)
        let recorded = try await served { (store) async throws(ServiceFailure) in
            try await store.ledger.record(evidence, for: []) { _ -> Decision<Void, Never> in
                Decision(answer: .success(()))
            }
        }
        return shown.map(\.state).map { state in
            let owner = recorded.history.purchases[state.key]?.owner
            return OrderedTransaction(state: state, owner: owner?.isErased == true ? nil : owner)
        }
    }
}
