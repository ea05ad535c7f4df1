import Entitlements
package import LedgerStore
package import StripeBilling

/// Carries out what events of card billing say.
package struct CardInbox: Sendable {
    private let service: any EntitlementService
    private let userKey: String
    private let graceDays: Int

    /// - Parameters:
    ///   - userKey: The member of metadata that holds the user id.
    ///   - graceDays: For how long a period goes on whose successor is not paid.
    package init(service: any EntitlementService, userKey: String, graceDays: Int) {
        self.service = service
        self.userKey = userKey
        self.graceDays = graceDays
    }

    package func news(of event: VerifiedEvent) -> CardNews { CardNews(event, userKey: userKey, graceDays: graceDays) }

    /// Stores an event with its news, before anything is done about it.
    ///
    /// - Parameter text: Its JSON as it came.
    /// - Throws: ``ServiceFailure``.
    package func receive(
        _ event: VerifiedEvent, _ news: CardNews, written text: [UInt8]
    ) async throws(ServiceFailure) -> StoredDelivery {
        try await service.receive(InboxDelivery(event, text, news, userKey: userKey, labels: try service.labels()))
    }

    /// Places a stored text, the delivery `id`, and returns what became of it.
    ///
    /// - Throws: ``StoreInbox/Failure``.
    package func place(_ text: String, as id: UInt64) async throws(StoreInbox.Failure) -> DeliveryStanding {
        let event: VerifiedEvent
        do throws(VerifiedEvent.Malformed) {
            event = try VerifiedEvent.read(stored: text)
        } catch {
            throw .unreadable
        }
        do throws(ServiceFailure) {
            return try await place(news(of: event), stored: id)
        } catch {
            throw .service(error)
        }
    }

    /// Places what is left of the delivery `id` whose text is gone, and returns what became of it.
    ///
    /// - Throws: ``StoreInbox/Failure``.
    func place(
        takeback text: String, in environment: StoreEnvironment, as id: UInt64
    ) async throws(StoreInbox.Failure) -> DeliveryStanding {
        guard let takeback = CardTakeback(text: text) else { throw .unreadable }
        do throws(ServiceFailure) {
            return try await place(CardNews(takeback, in: environment), stored: id)
        } catch {
            throw .service(error)
        }
    }

    /// Records what an event says, gives its purchase to the user whom it names, and notes what became of it, all in
    /// one transaction. What it waits for is looked for once more after it was said to wait for that: who wrote it
    /// meanwhile has not seen that something waits. Who writes it later wakes it.
    ///
    /// - Parameter id: Of the delivery as it is stored.
    /// - Throws: ``ServiceFailure``.
    package func place(_ news: CardNews, stored id: UInt64) async throws(ServiceFailure) -> DeliveryStanding {
        var mentioned: Set<String> = []
        while true {
            let outcome = try await attempt(news, stored: id, mentioned: mentioned)
            guard outcome.isLookedAtAgain(after: mentioned) else { return outcome.standing }
            mentioned.formUnion(outcome.awaited)
        }
    }

    /// What one try came to.
    fileprivate struct Outcome {
        let standing: DeliveryStanding
        let awaited: [String]

        init(_ standing: DeliveryStanding, awaiting awaited: [String] = []) {
            self.standing = standing
            self.awaited = awaited
        }

        /// Whether it waits for something that it did not say before that it waits for.
        func isLookedAtAgain(after mentioned: Set<String>) -> Bool {
            standing.result == .parked && !mentioned.isSuperset(of: awaited)
        }

        func row(
            of id: UInt64, about purchase: ExternalID? = nil, after mentioned: Set<String>
        ) -> DeliveryOutcome {
            DeliveryOutcome(
                of: id, standing, about: purchase, awaiting: awaited,
                isLookedAtAgain: isLookedAtAgain(after: mentioned))
        }
    }

    private func attempt(
        _ news: CardNews, stored id: UInt64, mentioned: Set<String>
    ) async throws(ServiceFailure) -> Outcome {
        guard let takeback = news.takeback else { return try await tell(news, stored: id, mentioned) }
        return try await take(takeback, news, stored: id, mentioned)
    }

    /// Records what a purchase's own events say.
    private func tell(
        _ news: CardNews, stored id: UInt64, _ mentioned: Set<String>
    ) async throws(ServiceFailure) -> Outcome {
        let naming = try await naming(news)
        let (space, about) = (NumberSpace(news), news.about)
        let learned = NumbersLearned(news.numbers, of: about?.externalID, in: space)
        let recorded = try await service.record(
            news.statements.map { Evidence($0) }, for: naming.users, keys: about.map { [$0] } ?? [],
            everythingOf: nil, audit: nil
        ) { history, _ -> Decision<Outcome, Never> in
            var placed = Decision<UserID?, Never>(answer: .success(nil))
            if let about {
                placed = PlaceNamedPurchase(about, for: naming.user).decide(given: history)
            }
            let isNew =
                history.isEvidenceNew || !placed.changesNothing || naming.remembers || !news.links.isEmpty
            let isOwned = about == nil || placed.answer.get() != nil
            let outcome = news.outcome(isOwned: isOwned, isNew: isNew, naming: naming)
            let decision = placed.mapReply { _ in outcome }
                .adding(learned).adding(outcome.row(of: id, after: mentioned))
            guard let customer = naming.customer, let user = naming.told, naming.remembers else { return decision }
            return decision.adding(CustomerRemembered(customer, is: user, in: space))
        }
        return recorded.answer.get()
    }

    /// Records what went back of the purchase that a payment was for; waits until that is known.
    private func take(
        _ takeback: CardTakeback, _ news: CardNews, stored id: UInt64, _ mentioned: Set<String>
    ) async throws(ServiceFailure) -> Outcome {
        let space = NumberSpace(news)
        let found = try await service.purchases(numbered: takeback.numbers, in: space)
        var statements: [Statement] = []
        var awaited = found.purchases.isEmpty ? found.unknown : []
        for purchase in found.purchases {
            var states = purchase.waiting
            if let owner = purchase.owner {
                states = try await service.ledger(of: owner).entries.compactMap(\.fact.state)
                    .filter { $0.key == purchase.key }
            }
            let told = takeback.statements(about: states, paying: purchase.transactions)
            if told.count < purchase.transactions?.count ?? 1 { awaited.append(purchase.key.externalID.text) }
            statements += told
        }
        let isWaiting = !awaited.isEmpty
        let about = statements.first?.key
        let learned = NumbersLearned(news.numbers, of: isWaiting ? nil : about?.externalID, in: space)
        let recorded = try await service.record(
            statements.map { Evidence($0) }, for: [], keys: [], everythingOf: nil, audit: nil
        ) { [awaited] history, _ -> Decision<Outcome, Never> in
            var outcome = Outcome(DeliveryStanding(.parked, because: .noPurchase), awaiting: awaited)
            if !isWaiting {
                let isOwned = history.purchases.values.contains { $0.owner != nil }
                outcome = news.outcome(isOwned: isOwned, isNew: history.isEvidenceNew, naming: Naming())
            }
            let row = outcome.row(of: id, about: about?.externalID, after: mentioned)
            // Before it is said that it waits, so that what it says itself does not wake it.
            return Decision(sideRows: [learned, row], answer: .success(outcome))
        }
        return recorded.answer.get()
    }

    /// Whom an event names.
    fileprivate struct Naming {
        /// As the event itself says.
        var told: UserID?
        /// The one to whom its purchase goes, if nobody has it.
        var user: UserID?
        var customer: Label?
        /// Whether the customer is nobody yet, and is the user who is told from now on.
        var remembers = false
        /// What operators should know of it.
        var reason: DeliveryReason?

        /// Those who are concerned; nobody is made known of whom nothing would be recorded.
        var users: Set<UserID> { Set([user, remembers ? told : nil].compactMap { $0 }) }
    }

    private func naming(_ news: CardNews) async throws(ServiceFailure) -> Naming {
        var naming = Naming()
        let users = news.users.compactMap { UserID($0) }
        if users.isEmpty, !news.users.isEmpty { naming.reason = .invalidUser }
        for user in users where try await !service.isErased(user) {
            naming.told = user
            break
        }
        var holder: UserID?
        if let customer = news.customer {
            let label = try service.labels().cardCustomer(customer, in: news.environment)
            naming.customer = label
            holder = try await service.holder(of: label)
        }
        var owner: UserID?
        if let about = news.about {
            let found = try await service.purchases(numbered: [about.externalID.text], in: NumberSpace(news))
            owner = found.purchases.first { $0.key == about }?.owner
        }
        if let owner {
            // What an erased person had names nobody anew.
            guard !owner.isErased else { return naming }
            if let told = naming.told, told != owner { naming.reason = .contradicted }
        } else if news.about != nil {
            naming.user = naming.told ?? holder.flatMap { $0.isErased ? nil : $0 }
        }
        guard let told = naming.told else { return naming }
        // A customer once named is never renamed; an event about what another has names nobody anew.
        if let holder, !holder.isErased, holder != told { naming.reason = .contradicted }
        naming.remembers = naming.customer != nil && holder == nil && (owner == nil || owner == told)
        return naming
    }
}

extension InboxDelivery {
    fileprivate init(_ event: VerifiedEvent, _ body: [UInt8], _ news: CardNews, userKey: String, labels: Labels) {
        self.init(
            source: .stripe, app: .cards, environment: event.environment, externalID: event.id, type: event.type,
            subtype: nil, signedAt: event.createdAt,
            about: news.about?.externalID ?? event.payment.map { ExternalID($0) },
            mentioning: event.names(userKey: userKey).compactMap { labels.mention(of: $0, in: event.environment) },
            takingBack: news.takeback?.text, text: .body(body), contentDigest: event.contentDigest)
    }
}

extension Labels {
    /// That of a customer of the card account.
    fileprivate func cardCustomer(_ id: String, in environment: StoreEnvironment) -> Label {
        label(.customer, Source.stripe.text, environment.rawValue, id)
    }

    /// Nil for what names no user and no number that could be kept.
    fileprivate func mention(of name: EventName, in environment: StoreEnvironment) -> String? {
        switch name {
        case .user(let text): UserID(text).map { mention(of: $0).text }
        case .customer(let id): cardCustomer(id, in: environment).text
        case .number(let number):
            number.utf8.count <= 255 && number.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? number : nil
        }
    }
}

extension CardNews {
    fileprivate var numbers: [PurchaseNumber] {
        links.map { link in
            switch link.meaning {
            case .number(let other): PurchaseNumber(link.number, meaning: other)
            case .transaction(let purchase, let id): PurchaseNumber(link.number, meaning: id, of: purchase)
            }
        }
    }

    /// What becomes of it: nothing for what changes nobody's access, parked while nobody has its purchase.
    fileprivate func outcome(isOwned: Bool, isNew: Bool, naming: CardInbox.Naming) -> CardInbox.Outcome {
        let reason = naming.reason ?? remark.flatMap(DeliveryReason.init)
        if let remark, remark != .disputed { return .init(DeliveryStanding(.ignored, because: reason)) }
        guard isOwned else {
            let awaited = [naming.customer?.text].compactMap { $0 }
            let reason = naming.reason == .invalidUser ? DeliveryReason.invalidUser : .noUser
            return .init(DeliveryStanding(.parked, because: reason), awaiting: awaited)
        }
        guard isNew || about != nil || takeback != nil else {
            return .init(DeliveryStanding(.ignored, because: reason))
        }
        return .init(DeliveryStanding(isNew ? .applied : .duplicate, because: reason))
    }
}

extension NumberSpace {
    fileprivate init(_ news: CardNews) {
        self.init(source: .stripe, app: .cards, environment: news.environment)
    }
}

extension DeliveryReason {
    fileprivate init?(_ remark: CardNews.Remark) {
        switch remark {
        case .refundFailed: self = .refundFailed
        case .disputed: self = .disputed
        case .unpaid: self = .unpaid
        case .unconcerned: return nil
        case .unknownType: self = .unknownType
        case .thin: self = .thin
        case .unreadable: self = .unreadable
        }
    }
}
