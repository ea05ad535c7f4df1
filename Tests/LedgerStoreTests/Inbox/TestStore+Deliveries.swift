import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support

extension TestStore {
    /// The account of the kiosk that sells vouchers.
    static let kiosk = NumberSpace(source: Vouchers.source, app: Sample.app, environment: .production)

    /// The inbox of one of the instances.
    func inbox(via instance: Int = 0) -> Inbox {
        Inbox(pool: instances[instance].pool, now: { clock.now }, realNow: { clock.now })
    }

    /// A delivery of the kiosk or another account, as it is stored.
    static func delivery(
        _ id: String, mentioning mentions: [String] = [], in space: NumberSpace = kiosk
    ) -> InboxDelivery {
        InboxDelivery(
            source: space.source, app: space.app, environment: space.environment, externalID: id, type: "t",
            subtype: nil, signedAt: Sample.epoch, about: nil, mentioning: mentions,
            text: .body(Array("Zoë \(id)".utf8)),
            contentDigest: Array(SHA256.hash(data: Array(id.utf8))))
    }

    /// The kiosk's news about `ticket`, or about none.
    static func news(
        about ticket: String? = nil, naming users: UserID..., customer: Label? = nil,
        telling numbers: PurchaseNumber...,
        stating statements: Statement...
    ) -> ReadDelivery {
        var news = DeliveryNews(in: kiosk)
        news.about = ticket.map(Vouchers.key)
        (news.users, news.customer, news.numbers) = (users, customer, numbers)
        return ReadDelivery(news, showing: statements.map { Evidence($0) })
    }

    /// The news that a charge went back whole, which is of `payment`.
    static func refund(_ charge: String, of payment: String? = nil) -> ReadDelivery {
        var news = DeliveryNews(in: kiosk)
        if let payment { news.numbers = [PurchaseNumber(charge, meaning: payment)] }
        news.takeback = Takeback(
            numbers: [payment, charge].compactMap(\.self), id: TransactionID(charge),
            revocation: Revocation(revokedAt: Vouchers.day(5), share: Revocation.fullShare),
            signedAt: Vouchers.day(5), eventID: "e-" + charge)
        return ReadDelivery(news)
    }

    /// Stores a delivery of the kiosk, and returns its number. Throws when the database is away.
    func receive(_ id: String, mentioning mentions: [String] = [], via instance: Int = 0) async throws(ServiceFailure)
        -> UInt64
    {
        try await inbox(via: instance).receive(Self.delivery(id, mentioning: mentions)).id
    }

    /// Places a stored delivery. Throws when the database is away.
    @discardableResult
    func place(
        _ read: ReadDelivery, as delivery: UInt64, via instance: Int = 0
    ) async throws(ServiceFailure) -> String {
        let outcome = try await Inbox.place(read, as: delivery, under: rules, in: instances[instance].ledger)
        return [outcome.result.rawValue, outcome.reason?.rawValue].compactMap(\.self).joined(separator: " ")
    }

    /// Does the jobs that are due, each by the news of its delivery, until none is. Throws when the database is away.
    func placeWoken(_ news: [UInt64: ReadDelivery]) async throws {
        let jobs = Jobs(pool: pool, now: { clock.now }, jitter: { 1 })
        while true {
            let due = try await jobs.take(16, of: .delivery)
            if due.isEmpty { return }
            for job in due {
                if let read = news[job.subject] { try await place(read, as: job.subject) }
            }
        }
    }
}
