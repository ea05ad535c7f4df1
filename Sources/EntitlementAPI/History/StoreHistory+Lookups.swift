package import AppStore
package import Entitlements
import LedgerStore
import Logging

/// The answers of Apple about the purchases of look-ups.
struct LookedUp: Sendable {
    /// The newest genuine texts of the transactions of these purchases, and of no others.
    var purchases: [ShownPurchase] = []
    /// The purchases about which Apple answered, by their ids.
    var answered: Set<String> = []
    /// The ids among them that Apple does not know.
    var unknown: Set<String> = []
    /// The first failure; a job asks again.
    var failure: StoreHistory.Failure?

    /// The look-ups about which Apple answered.
    func answers(to owed: OwedLookups) -> [OwedLookups.Number] {
        owed.numbers.filter { answered.contains($0.id) }
    }
}

/// The newest text of each transaction, in the order in which the transactions were shown first.
private struct NewestTexts {
    /// A transaction, told from those of other purchases.
    private struct Transaction: Hashable {
        let purchase: PurchaseKey
        let id: TransactionID
    }

    private(set) var all: [ShownPurchase] = []
    private var places: [Transaction: Int] = [:]

    mutating func add(_ shown: ShownPurchase) {
        let transaction = Transaction(purchase: shown.state.key, id: shown.state.transactionID)
        guard let place = places[transaction] else {
            places[transaction] = all.count
            all.append(shown)
            return
        }
        if all[place].state.signedAt < shown.state.signedAt { all[place] = shown }
    }
}

/// Look-ups: Apple is asked about purchases that an unsigned text names (`semantics.md` §6).
extension StoreHistory {
    /// The most transactions after which the rest of the look-ups is left to a job.
    private static let maximumShown = 500
    /// The most purchases of a receipt that Apple may not know before the others are not asked about.
    private static let maximumUnknown = 5

    /// Does the look-ups that are owed to a person, or to nobody. For a person they are claimed like a restore, with no
    /// proof but that of a receipt for which nobody vouches; of nobody they are recorded like a notification.
    ///
    /// - Throws: ``Failure``, after everything that was shown before is recorded.
    package func lookUp(for person: UInt64) async throws(Failure) {
        var user: UserID?
        while let owed = try await served({ (store) async throws(ServiceFailure) in
            try await store.lookups.owed(to: person)
        }) {
            user = owed.user
            let found = await find(owed, of: person)
            try await settle(found, owed, of: person)
            if let failure = found.failure { throw failure }
        }
        try await served { (store) async throws(ServiceFailure) in try await store.lookups.finish([], of: person) }
        if let user { try await walkLater(for: user) }
    }

    /// Has a job walk through the histories behind the user's purchases, as after a restore.
    private func walkLater(for user: UserID) async throws(Failure) {
        try await served { (store) async throws(ServiceFailure) in
            let ledger = try await store.reader.ledger(of: user)
            let context = store.foldContext
            let timeline = Timeline(folding: ledger, given: context.catalogue, settings: context.settings)
            let walks = StoreHistory.walks(through: ledger, held: timeline, by: nil)
            if !walks.isEmpty { _ = try await store.history.begin(walks, of: user, by: nil) }
        }
    }

    /// Asks Apple about the purchases of look-ups. Of the histories only these purchases are kept, so whoever shows
    /// somebody's receipt learns nothing of the rest of that Apple account.
    ///
    /// A failure does not keep the other purchases from being asked about, unless it would meet them too.
    func find(_ owed: OwedLookups, of person: UInt64) async -> LookedUp {
        var (found, texts) = (LookedUp(), NewestTexts())
        let ids = Set(owed.numbers.map(\.id))
        let mayMiss = owed.user == nil ? .max : min(Self.maximumUnknown, Lookups.maximumUnknown - owed.unknownToday)
        for number in owed.numbers where !found.answered.contains(number.id) {
            guard texts.all.count < Self.maximumShown else { break }
            // The rest of a receipt with so many unknown purchases is not worth asking, nor is one with an old proof.
            if found.unknown.count >= mayMiss || number.isProofOver(at: now()) {
                found.answered.insert(number.id)
                continue
            }
            do throws(Failure) {
                if let shown = try await history(of: number, naming: ids, of: person) {
                    for purchase in shown {
                        texts.add(purchase)
                        // Several numbers may be of one Apple account, whose history has all of them.
                        found.answered.formUnion(owed.numbers.filter { $0.names(purchase.state) }.map(\.id))
                    }
                } else {
                    found.unknown.insert(number.id)
                }
                found.answered.insert(number.id)
            } catch {
                tell(error)
                found.failure = found.failure ?? error
                if error.meetsAll { break }
            }
        }
        let claimable = Set(texts.all.map(\.state).filter(owed.claims).map(\.key))
        found.purchases = texts.all.filter { claimable.contains($0.state.key) }
        if owed.unknownToday + found.unknown.count >= Lookups.maximumUnknown, !found.unknown.isEmpty, owed.user != nil {
            logger.warning(
                "Apple does not know the purchases of a user's receipts, and is asked about no more of them today",
                metadata: ["unknown": "\(owed.unknownToday + found.unknown.count)"])
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
        let fresh = owed.fresh(found.purchases.map(\.state))
        for (key, shown) in Dictionary(grouping: found.purchases, by: \.state.key).sorted(by: { $0.key < $1.key }) {
            if let user = owed.user {
                try await claim(shown, of: key, for: user, by: owed.proof(of: shown.map(\.state)), fresh)
            } else {
                try await place(shown, of: key)
            }
        }
        let answered = found.answers(to: owed)
        guard !answered.isEmpty else { return }
        try await served { (store) async throws(ServiceFailure) in
            try await store.lookups.finish(answered, unknown: owed.user == nil ? [] : found.unknown, of: person)
        }
    }

    private func claim(
        _ shown: [ShownPurchase], of key: PurchaseKey, for user: UserID, by proof: AccountProof?,
        _ fresh: [VerifiedPurchase]
    ) async throws(Failure) {
        let (purchases, rules) = (shown.map(\.state), rules)
        // The news names the user only so that one who was erased while Apple was asked does not come back.
        var news = DeliveryNews(in: key.space)
        news.users = [user]
        try await served { [news] (store) async throws(ServiceFailure) in
            _ = try await store.ledger.record(shown.map(\.evidence), for: [], placing: news) {
                history, fold -> Decision<Void, Never> in
                guard !history.erased.contains(user) else { return Decision(answer: .success(())) }
                let context = ClaimContext(rules: rules, fold: fold)
                return Restore(purchases, to: user, proof: proof, in: context, ofReceipt: fresh)
                    .decide(given: history).mapReply { _ in }
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

    /// The genuine transactions with one of `ids` of the Apple account that made a purchase; nil if Apple does not know
    /// the purchase. Only the app and the environment that were named beside it are asked about, or each if none was.
    ///
    /// - Throws: ``Failure``. A history that breaks off is no answer.
    private func history(
        of number: OwedLookups.Number, naming ids: Set<String>, of person: UInt64
    ) async throws(Failure) -> [ShownPurchase]? {
        for app in apps where number.app.text.isEmpty || app == number.app {
            var texts = NewestTexts()
            var (environment, revision): (StoreEnvironment?, String?) = (number.environment, nil)
            var read: Set<String> = []
            for _ in 0..<Self.maximumPages {
                try await served { (store) async throws(ServiceFailure) in try await store.lookups.hold(person) }
                guard let (page, answering) = try await page(of: number.id, after: revision, app, environment) else {
                    environment = nil
                    break
                }
                for shown in try await genuine(page.signed) where !ids.isDisjoint(with: shown.numbers) {
                    texts.add(shown)
                }
                // A list that leads back to a place would never end.
                if !page.hasMore || !read.insert(page.revision).inserted { return texts.all }
                (environment, revision) = (answering, page.revision)
            }
            // An environment answered, but the history has more pages than are read.
            if environment != nil { return texts.all }
        }
        return nil
    }

    /// A page of a history, and the environment that has it; nil if Apple does not know the purchase.
    ///
    /// - Parameters:
    ///   - revision: The place after the page before; nil for the first page.
    ///   - environment: The environment that has it, if that is known.
    /// - Throws: ``Failure``. A refusal after the first page is one, because the history broke off.
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
            guard revision == nil, error.saysUnknown else { throw .apple(error) }
            if error != .refused(code: 4_040_010) { tell(.apple(error)) }
            return nil
        }
    }
}

extension ShownPurchase {
    /// The numbers by which a receipt or a notification may name it.
    fileprivate var numbers: Set<String> { [state.key.externalID.text, state.transactionID.text] }
}

extension OwedLookups {
    /// True if `state` is of a purchase that may be claimed: Apple vouches for the text that named it, or it is of the
    /// Apple account that its sender proved.
    fileprivate func claims(_ state: VerifiedPurchase) -> Bool {
        numbers.contains { $0.names(state) && ($0.account == nil || $0.account == state.account) }
    }

    /// The states that a receipt of the last 24 hours shows.
    func fresh(_ states: [VerifiedPurchase]) -> [VerifiedPurchase] {
        states.filter { state in numbers.contains { $0.isFresh && $0.names(state) } }
    }

    /// The proof that came with a receipt for which nobody vouches, and that covers one of the states; else nil.
    fileprivate func proof(of states: [VerifiedPurchase]) -> AccountProof? {
        for state in states {
            guard let account = state.account else { continue }
            if numbers.contains(where: { $0.account == account && $0.names(state) }) {
                return AccountProof(of: account, in: state.key.app, state.key.environment)
            }
        }
        return nil
    }
}

extension OwedLookups.Number {
    /// True if it is of this purchase: numbers of several apps and environments may be the same.
    fileprivate func names(_ state: VerifiedPurchase) -> Bool {
        (id == state.key.externalID.text || id == state.transactionID.text)
            && (app.text.isEmpty || app == state.key.app)
            && (environment ?? state.key.environment) == state.key.environment
    }

    /// True if it was named by a receipt for which nobody vouches, and the proof beside it does not count any more.
    fileprivate func isProofOver(at now: Instant) -> Bool {
        account != nil && askedAt + HistoryWalks.proofLifetime < now
    }
}

extension StoreHistory.Failure {
    /// True if every other question would fail likewise.
    fileprivate var meetsAll: Bool {
        switch self {
        case .apple(.paused), .apple(.keyNotAccepted), .service: true
        case .apple, .certificateStatus: false
        }
    }
}

extension AppStoreServerFailure {
    /// True if Apple does not know the purchase, and never will: a lasting 404, or an id that is none (4000006).
    fileprivate var saysUnknown: Bool {
        guard case .refused(let code) = self, isFinal else { return false }
        return code / 10_000 == 404 || code == 4_000_006
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
