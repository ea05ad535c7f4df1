package import Entitlements
package import LedgerStore
package import StripeBilling

/// Turns events of card billing into deliveries in this server's terms.
package struct CardReader: Sendable {
    private let userKey: String
    private let graceDays: Int

    /// - Parameters:
    ///   - userKey: The key in Stripe's `metadata` whose value is the user id.
    ///   - graceDays: The days of grace after a period whose successor is not paid.
    package init(userKey: String, graceDays: Int) {
        self.userKey = userKey
        self.graceDays = graceDays
    }

    /// The delivery to store for an event.
    ///
    /// - Parameter text: The JSON of the event as Stripe sent it.
    package func delivery(_ event: VerifiedEvent, written text: [UInt8], under labels: Labels) -> InboxDelivery {
        InboxDelivery(event, text, news(of: event), userKey: userKey, labels: labels)
    }

    /// Reads a stored event.
    ///
    /// - Throws: ``StoreInbox/Failure``.
    package func read(_ text: String, under labels: Labels) throws(StoreInbox.Failure) -> ReadDelivery {
        do throws(VerifiedEvent.Malformed) {
            return read(try VerifiedEvent.read(stored: text), under: labels)
        } catch {
            throw .unreadable
        }
    }

    /// The content of an event: the users, customer and numbers that it names, and its statements.
    package func read(_ event: VerifiedEvent, under labels: Labels) -> ReadDelivery {
        let told = news(of: event)
        var news = DeliveryNews(in: NumberSpace(source: .stripe, app: .cards, environment: told.environment))
        news.about = told.about
        news.users = told.users.compactMap { UserID($0) }
        news.namesNoUserID = news.users.isEmpty && !told.users.isEmpty
        news.customer = told.customer.map { labels.cardCustomer($0, in: told.environment) }
        news.numbers = told.numbers
        news.takeback = told.takeback
        news.remark = told.remark.flatMap(DeliveryReason.init)
        news.isIgnored = told.remark.map { $0 != .disputed } ?? false
        return ReadDelivery(news, showing: told.statements.map { Evidence($0) })
    }

    private func news(of event: VerifiedEvent) -> CardNews { CardNews(event, userKey: userKey, graceDays: graceDays) }
}

extension InboxDelivery {
    fileprivate init(_ event: VerifiedEvent, _ body: [UInt8], _ news: CardNews, userKey: String, labels: Labels) {
        self.init(
            source: .stripe, app: .cards, environment: event.environment, externalID: event.id, type: event.type,
            subtype: nil, signedAt: event.createdAt,
            about: news.about?.externalID ?? event.payment.map { ExternalID($0) },
            mentioning: event.names(userKey: userKey).compactMap { labels.mention(of: $0, in: event.environment) },
            takingBack: news.takeback?.text, telling: event.amount, text: .body(body),
            contentDigest: event.contentDigest)
    }
}

extension Labels {
    /// The label or number to store for a name in an event; nil for a malformed user id or number.
    fileprivate func mention(of name: EventName, in environment: StoreEnvironment) -> String? {
        switch name {
        case .user(let text): UserID(text).map { mention(of: $0).text }
        case .customer(let id): cardCustomer(id, in: environment).text
        case .number(let number):
            number.utf8.count <= 255 && number.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? number : nil
        }
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
