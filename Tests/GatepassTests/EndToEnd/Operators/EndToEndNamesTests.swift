import AppStore
import Foundation
import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Deliveries of every kind that name a person: they are exported, and erasing leaves the name in none, whatever
    /// became of them (`semantics.md` §5).
    @Suite struct NamesInDeliveries {
        /// Somebody who buys in both stores, by all names that they have there.
        fileprivate struct Person {
            let user = "named-" + newID()
            let shop = Cards.account()
            let mail = "zoe-\(newID())@example.com"
            let account = newID()
            var payment: String { "pi_" + shop.tag }

            var details: CardJSON { ["email": .text(mail), "name": .text("Zoë \(mail)")] }
            var userMetadata: CardJSON { ["user_id": .text(user)] }

            /// Of each kind of card event: its type, its object, and what becomes of it.
            var cardTellings: [(type: String, object: CardJSON, outcome: String)] {
                let guest: CardJSON = ["customer": nil, "customer_details": details]
                let byMetadata: CardJSON = ["customer": nil, "metadata": userMetadata, "billing_details": details]
                let bare: CardJSON = ["customer": nil, "billing_details": details]
                let evidence: CardJSON = ["evidence": ["customer_email_address": .text(mail)]]
                let plan = shop.subscription("active", from: Cards.ago(3), until: Cards.ago(-27), user: user)
                let parked = shop.charge("pi_unknown" + shop.tag, refunded: CardAccount.amount)
                return [
                    ("checkout.session.completed", pass, "applied"),
                    ("checkout.session.expired", session("expired").with(guest), "ignored"),
                    ("checkout.session.async_payment_failed", session("failed").with(guest), "ignored"),
                    (
                        "checkout.session.completed",
                        session("unpaid", paid: "unpaid", intent: "pi_unpaid" + shop.tag).with(guest), "ignored unpaid"
                    ),
                    ("checkout.session.completed", setup, "ignored"),
                    ("payment_intent.payment_failed", failedPayment, "ignored"),
                    ("charge.failed", shop.charge(payment, refunded: 0).with(bare), "ignored"),
                    ("refund.failed", shop.refund(payment, "failed").with(evidence), "ignored refund_failed"),
                    ("customer.created", customer, "ignored"),
                    ("customer.subscription.updated", unreadable, "ignored unreadable"),
                    ("billing_portal.session.created", unknown, "ignored unknown_type"),
                    ("customer.subscription.created", plan.with(["description": .text(mail)]), "applied"),
                    (
                        "charge.dispute.created", shop.dispute(payment, "needs_response").with(evidence),
                        "applied disputed"
                    ),
                    ("charge.refunded", parked.with(byMetadata), "parked no_purchase"),
                ]
            }

            /// Of the unpaid session's payment; nothing else in it leads to the person.
            private var failedPayment: CardJSON {
                ["id": .text("pi_unpaid" + shop.tag), "object": "payment_intent", "receipt_email": .text(mail)]
            }

            private var unreadable: CardJSON {
                ["id": .text(shop.subscription), "object": "subscription", "customer": customer]
            }

            private var unknown: CardJSON {
                [
                    "id": "bps_1", "object": "billing_portal.session", "customer": .text(shop.customer),
                    "seen": .text(mail),
                ]
            }

            private var pass: CardJSON {
                session("pass", intent: payment).with(["payment_link": "plink_pass", "customer_details": details])
            }

            private var setup: CardJSON {
                shop.session("setup", customer: shop.customer, paid: "no_payment_required")
                    .with(["metadata": userMetadata, "customer_details": details])
            }

            private var customer: CardJSON {
                customer(of: shop)
            }

            /// A customer of `shop` with the person's names.
            private func customer(of shop: CardAccount) -> CardJSON {
                let customer: CardJSON = [
                    "id": .text(shop.customer), "object": "customer", "metadata": userMetadata,
                ]
                return customer.with(details)
            }

            private func session(_ name: String, paid: String = "paid", intent: String? = nil) -> CardJSON {
                shop.session("payment", user: user, paid: paid, intent: intent)
                    .with(["id": .text("cs_\(name)_\(shop.tag)")])
            }

            /// The card events, numbered from `first`.
            func cardEvents(from first: Int) -> [(event: CardAccount.Event, outcome: String)] {
                cardTellings.enumerated().map { number, telling in
                    (shop.event(first + number, telling.type, at: Cards.ago(2), telling.object), telling.outcome)
                }
            }

            /// Names the person by a customer who is somebody else's by then.
            func contradiction(_ number: Int, of other: Person) -> CardAccount.Event {
                other.shop.event(
                    number, "customer.updated", at: Cards.ago(1),
                    customer(of: other.shop))
            }

            /// Apple's: applied, parked, ignored and unreadable.
            func notifications(of server: EndToEndServer, token: String?) throws -> [(text: String, id: String)] {
                var pass = EndToEndServer.pass(of: "com.airport.vpn.pass.30d", at: now - day)
                (pass.appAccountToken, pass.appTransactionId) = (token, account)
                var waiting = EndToEndServer.pass(of: "com.airport.vpn.pass.30d", at: now - day)
                waiting.appTransactionId = account
                var app = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: now)
                app.appTransactionId = account
                let withdrawn = SimulatedNotification(
                    .rescindConsent, uuid: newID(),
                    about: .appData(appTransaction: try server.authority.sign(app).text),
                    bundleId: EndToEndServer.bundleID, at: now)
                var inside = pass.payload
                inside["productId"] = .integer(1)
                var unreadable = try server.notification(.refund, about: pass)
                unreadable.content = .data(
                    transaction: try server.authority.sign(inside), renewalInfo: nil, status: nil)
                let told = [
                    try server.notification(.oneTimeCharge, about: pass),
                    try server.notification(.oneTimeCharge, about: waiting),
                    try server.notification(NotificationType(rawValue: "BRAND_NEW"), about: waiting),
                    withdrawn, unreadable,
                ]
                let beyond = try server.notification(.oneTimeCharge, about: pass)
                var crowded = beyond.payload
                for number in 0..<1_100 { crowded["member\(number)"] = .integer(1) }
                return try told.map { (try server.authority.sign($0).text, $0.notificationUUID) }
                    + [(try server.authority.sign(crowded), beyond.notificationUUID)]
            }
        }

        /// How many texts are kept of the deliveries under `ids`. Throws when the database is away.
        private static func texts(of ids: [String], in server: EndToEndServer) async throws -> Int {
            var count = 0
            for id in ids {
                count += try await server.schema.number(
                    """
                    SELECT COUNT(*) FROM inbox_texts t JOIN inbox_deliveries d ON d.id = t.delivery_id
                    WHERE d.external_id = ?
                    """, [.text(id)])
            }
            return count
        }

        /// What stands in the segments of a signed text.
        private static func decoded(_ text: String) -> String {
            let segments = text.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            return segments.map { segment in
                let base64 = String(segment).replacing("-", with: "+").replacing("_", with: "/")
                let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
                return Data(base64Encoded: padded).map { String(decoding: $0, as: UTF8.self) } ?? ""
            }.joined(separator: " ")
        }

        /// Expects none of `traces` in any column of any table. Throws when the database is away.
        private static func expectNothing(of traces: [String], in server: EndToEndServer) async throws {
            for (table, rows) in try await server.schema.dump() {
                for cell in rows.joined() {
                    var text = "\(cell)"
                    if case .bytes(let bytes) = cell { text = String(decoding: bytes, as: UTF8.self) }
                    text += decoded(text)
                    for trace in traces { #expect(!text.contains(trace), "\(trace) in \(table)") }
                }
            }
        }

        @Test func `whatever names a person is exported and goes with them, and of what comes later no text is kept`()
            async throws
        {
            let server = try await EndToEndServer.startWithCards()
            let backend = try await EndToEndBackend.keyed(server)
            let (person, other) = (Person(), Person())
            var ids: [Person: [String]] = [:]
            for somebody in [other, person] {
                for (event, outcome) in somebody.cardEvents(from: 1) {
                    #expect(try await server.place(event) == outcome, "\(event.body)")
                    ids[somebody, default: []].append(event.id)
                }
                let token = try await server.accountToken(of: somebody.user)
                for (text, id) in try somebody.notifications(of: server, token: token) {
                    #expect(try await server.deliver(payload: text).status == 200)
                    ids[somebody, default: []].append(id)
                }
            }
            let contradiction = person.contradiction(50, of: other)
            #expect(try await server.place(contradiction) == "ignored contradicted")
            let hers = ids[person, default: []] + [contradiction.id]
            #expect(try await Self.texts(of: hers, in: server) == hers.count)
            let exported = try await backend.look("export", of: person.user).text
            for id in hers { #expect(exported.contains(id), "\(id)") }
            #expect(!exported.contains(other.mail))
            let theirs = try await backend.look("export", of: other.user).text
            #expect(
                theirs.contains(contradiction.id) && !theirs.contains(person.mail), "the text is somebody else's too")

            #expect(try await backend.act("erase", for: person.user).status == 204)
            let traces = [person.user, person.mail, person.account]
            #expect(try await Self.texts(of: hers, in: server) == 0)
            try await Self.expectNothing(of: traces, in: server)
            let others = ids[other, default: []]
            #expect(try await Self.texts(of: others, in: server) == others.count)

            var later: [String] = []
            for (event, _) in person.cardEvents(from: 100) {
                _ = try await server.place(event)
                later.append(event.id)
            }
            for (text, id) in try person.notifications(of: server, token: nil) {
                #expect(try await server.deliver(payload: text).status == 200)
                later.append(id)
            }
            #expect(try await Self.texts(of: later, in: server) == 0)
            try await Self.expectNothing(of: traces, in: server)

            // What the parked refund takes back is known without its text.
            let late = person.shop.session("payment", intent: "pi_unknown" + person.shop.tag)
                .with(["payment_link": "plink_pass"])
            let outcome = try await server.place(
                person.shop.event(200, "checkout.session.completed", at: Cards.ago(3), late))
            #expect(outcome == "parked no_user")
            let refund = try #require(person.cardEvents(from: 1).last?.event)
            let settled = try await server.settled(refund) { !$0.hasPrefix("parked no_purchase") }
            #expect(settled == "parked no_user", "it is nobody's, and the refund is recorded")
            #expect(try await server.end() == 0)
        }

        @Test func `a text goes as soon as it is told that its payment was an erased person's`() async throws {
            let server = try await EndToEndServer.withCards
            let backend = try await EndToEndBackend.keyed(server)
            let person = Person()
            let (shop, start, end) = (person.shop, Cards.ago(3), Cards.ago(-27))
            let (invoice, intent) = ("in_" + shop.tag, "pi_later" + shop.tag)
            let plan = shop.subscription("active", from: start, until: end, user: person.user)
            let review: CardJSON = [
                "id": "prv_1", "object": "review", "payment_intent": .text(intent), "billing_mail": .text(person.mail),
            ]
            let told = [
                shop.event(1, "customer.subscription.created", at: start, plan),
                shop.event(
                    2, "invoice.paid", at: start, shop.invoice(invoice, from: start, until: end, intent: intent)),
                shop.event(3, "review.opened", at: start, review),
            ]
            for event in told { #expect(try await server.place(event)?.hasPrefix("parked") == false) }
            #expect(try await backend.act("erase", for: person.user).status == 204)
            #expect(try await Self.texts(of: told.map(\.id), in: server) == 1, "nothing leads from the payment yet")
            let link = shop.event(
                4, "invoice_payment.paid", at: start, shop.invoicePayment(invoice, intent: intent))
            #expect(try await server.place(link)?.hasPrefix("parked") == false)
            #expect(try await Self.texts(of: told.map(\.id) + [link.id], in: server) == 0)
            try await Self.expectNothing(of: [person.user, person.mail], in: server)
        }

        @Test func `somebody whom only deliveries name can be erased too`() async throws {
            let server = try await EndToEndServer.withCards
            let backend = try await EndToEndBackend.keyed(server)
            let person = Person()
            let expired = try #require(person.cardEvents(from: 1).first { $0.event.body.contains("cs_expired") }?.event)
            #expect(try await server.place(expired) == "ignored")
            #expect(try await backend.act("erase", for: person.user).status == 204)
            #expect(try await Self.texts(of: [expired.id], in: server) == 0)
            #expect(try await backend.act("erase", for: person.user).status == 404, "nobody of that id is left")
            let again = person.shop.event(
                90, "checkout.session.expired", at: Cards.ago(1), person.cardTellings[1].object)
            #expect(try await server.place(again) == "ignored")
            #expect(try await Self.texts(of: [again.id], in: server) == 0)
        }

        @Test func `what names an erased person later makes nobody known by that id, and a new purchase waits`()
            async throws
        {
            let server = try await EndToEndServer.withCards
            let backend = try await EndToEndBackend.keyed(server)
            let person = Person()
            #expect(try await server.place(person.cardEvents(from: 1)[0].event) == "applied")
            #expect(try await backend.act("erase", for: person.user).status == 204)
            let session = person.shop.session("payment", user: person.user, intent: "pi_new" + person.shop.tag)
                .with(["payment_link": "plink_pass"])
            let late = person.shop.event(2, "checkout.session.completed", at: Cards.ago(1), session)
            #expect(try await server.place(late) == "parked no_user")
            #expect(try await Self.texts(of: [late.id], in: server) == 0)
            try await Self.expectNothing(of: [person.user], in: server)
            // Who signs in under the id is somebody new, whom cards name again.
            _ = try await server.accountToken(of: person.user)
            let third = person.shop.session("payment", user: person.user, intent: "pi_third" + person.shop.tag)
                .with(["payment_link": "plink_pass"])
            let placed = try await server.place(
                person.shop.event(3, "checkout.session.completed", at: Cards.ago(1), third))
            #expect(placed == "applied")
        }
    }
}

extension EndToEnd.NamesInDeliveries.Person: Hashable {
    static func == (one: Self, other: Self) -> Bool { one.user == other.user }
    func hash(into hasher: inout Hasher) { hasher.combine(user) }
}
