import Entitlements
import LedgerStore
import MariaDB
import MariaDB
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

extension TestServer {
    /// Stores a delivery that nothing places, and gives its number.
    func park(
        _ id: String, type: String = "charge.refunded", subtype: String? = nil, body: String = #"{"name":"Ann"}"#,
        result: DeliveryResult = .parked, reason: DeliveryReason? = .noUser
    ) async throws -> UInt64 {
        let digest = Digest.of(id)
        let stored = try await open.store.inbox.receive(
            InboxDelivery(
                source: .stripe, app: .cards, environment: .production, externalID: id, type: type, subtype: subtype,
                signedAt: Fixture.now, about: nil, text: .body(Array(body.utf8)), contentDigest: digest))
        try await open.schema.rows(
            "UPDATE inbox_deliveries SET state = ?, reason = ? WHERE id = ?",
            [.text(result.rawValue), reason.map { .text($0.rawValue) } ?? .null, .uint64(stored.id)])
        return stored.id
    }

    /// Gives up the job of a delivery, and gives the job's number.
    func giveUp(_ delivery: UInt64) async throws -> UInt64 {
        try await open.schema.rows(
            "UPDATE jobs SET attempts = 8, died_at = \(Fixture.now.milliseconds) WHERE subject = ?",
            [.uint64(delivery)])
        return UInt64(try await open.schema.number("SELECT id FROM jobs WHERE subject = \(delivery)"))
    }

    /// A purchase that nobody has.
    func leave(_ id: String, of product: String = "pass.30d") async throws {
        try await open.sell(
            VerifiedPurchase(
                key: PurchaseKey(
                    source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID(id)),
                transactionID: TransactionID(id), productID: ProductID(product), type: .pass,
                purchasedAt: Fixture.now, signedAt: Fixture.now))
    }

    /// A pass of an Apple account, which makes a conflict once two users have purchases of one.
    func sell(_ id: String, ofAccount account: String, to user: String) async throws {
        try await open.sell(
            VerifiedPurchase(
                key: PurchaseKey(
                    source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID(id)),
                transactionID: TransactionID(id), productID: ProductID("pass.30d"), type: .pass,
                purchasedAt: Fixture.now, account: Fixture.labels.label(.account, account),
                signedAt: Fixture.now), to: try Fixture.user(user))
    }
}

/// A digest of a text, for contents that only have to differ.
private enum Digest {
    static func of(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.suffix(32))
        return bytes + [UInt8](repeating: 0, count: 32 - bytes.count)
    }
}

extension Browser {
    /// Fetches a page that must be there, read strictly.
    func page(_ path: String, status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> ParsedPage
    {
        let answer = try await get(path)
        #expect(
            answer.status == status, "\(path): \(answer.status) \(answer.body.prefix(200))",
            sourceLocation: sourceLocation)
        let page = try ParsedPage(answer.body)
        #expect(page.all("h1").count == 1, "\(path)", sourceLocation: sourceLocation)
        let ids = page.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count, "\(path): ids \(ids)", sourceLocation: sourceLocation)
        for element in page.elements {
            for name in ["aria-labelledby", "aria-describedby", "for"] {
                if let id = element.attributes[name] {
                    #expect(ids.contains(id), "\(path): \(name)=\(id)", sourceLocation: sourceLocation)
                }
            }
        }
        return page
    }

    /// Sends the form at `path` with the token of a page, and no field else.
    func press(
        _ path: String, on page: String, _ fields: [String: String] = [:]
    ) async throws -> TestServer.Answer {
        try await post(path, fields, from: page)
    }
}

extension ParsedPage {
    /// The texts of the cells that name the rows.
    var rowNames: [String] { all("th").filter { $0.attributes["scope"] == "row" }.map(\.text) }

    /// The target of the first link with this text.
    func link(_ text: String) -> String? {
        elements.first { $0.name == "a" && $0.text == text }?.attributes["href"]
    }

    /// True if the page has a form that posts to `path`.
    func hasForm(_ path: String) -> Bool { all("form").contains { $0.attributes["action"] == path } }
}
