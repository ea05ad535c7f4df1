import StoreSimulator
import Glibc
import MariaDB
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// What card billing tells (`api.md`, "Webhooks").
    @Suite struct Cards {
        private static let day: Int64 = 86_400

        /// Seconds, so many days ago.
        static func ago(_ days: Int64) -> Int64 { now / 1_000 - days * day }

        static func account() -> CardAccount { CardAccount(tag: newID()) }

        /// A pass bought by payment link, for `user`.
        static func pass(
            _ shop: CardAccount, _ user: String?, at seconds: Int64, link: String = "plink_pass"
        ) -> CardAccount.Event {
            shop.event(
                1, "checkout.session.completed", at: seconds,
                shop.session("payment", user: user, intent: "pi_" + shop.tag, with: ["payment_link": .text(link)]))
        }

        private static func month(
            _ shop: CardAccount, _ number: Int = 1, _ status: String = "active", from start: Int64,
            user: String? = nil, price: String = "price_pro", quantity: Int64 = 1, told seconds: Int64? = nil
        ) -> CardAccount.Event {
            shop.event(
                number, "customer.subscription.updated", at: seconds ?? start,
                shop.subscription(
                    status, from: start, until: start + 30 * day, price: price, quantity: quantity, user: user))
        }

        @Test func `a pass that is paid in the shop is the user's at once, and once`() async throws {
            let server = try await EndToEndServer.withCards
            let (user, bought) = ("card-" + newID(), Self.ago(10))
            let event = Self.pass(Self.account(), user, at: bought)
            #expect(try await server.place(event) == "applied")
            for _ in 1...2 { #expect(try await server.deliver(event).string("result") == "duplicate") }
            let status = try await server.status(of: user)
            #expect(status.integer("expires_at_ms") == (bought + 30 * Self.day) * 1_000, "\(status.text)")
            #expect(status.string("entitlements.0.source") == "stripe" && status.count("entitlements") == 1)
            #expect(status.string("entitlements.0.product_id") == "card.pass")
            let check = try await server.send("GET", "/api/billing/subscriptions/check/\(user)", as: user)
            #expect(check.string("provider") == "stripe" && check.string("status") == "ACTIVE", "\(check.text)")
            #expect(check["manage_url"]?.isNull == true, "a pass does not renew")
        }

        @Test func `a subscription, its failure, grace and recovery, and its seats`() async throws {
            let server = try await EndToEndServer.withCards
            let (shop, user, began) = (Self.account(), "card-" + newID(), Self.ago(35))
            #expect(try await server.place(Self.month(shop, from: began, user: user)) == "applied")
            let unpaid = began + 30 * Self.day
            #expect(try await server.place(Self.month(shop, 2, from: unpaid)) == "applied")
            #expect(
                try await server.place(Self.month(shop, 3, "past_due", from: unpaid, told: unpaid + 60)) == "applied")
            let grace = try await server.status(of: user)
            #expect(grace.string("state") == "grace", "\(grace.text)")
            #expect(grace.integer("expires_at_ms") == (unpaid + 14 * Self.day) * 1_000)
            #expect(grace["entitlements.0.is_in_billing_retry"]?.flag == true)
            #expect(try await server.place(Self.month(shop, 4, from: unpaid, told: unpaid + 120)) == "applied")
            let check = try await server.send("GET", "/api/billing/subscriptions/check/\(user)", as: user)
            #expect(check.string("plan_id") == "monthly_2" && check.integer("devices") == 2, "\(check.text)")
            #expect(check["will_renew"]?.flag == true, "\(check.text)")
            #expect(check.string("manage_url") == EndToEndServer.cardPage)
            let seats = Self.account()
            let crew = "card-" + newID()
            let bought = Self.month(seats, from: Self.ago(1), user: crew, price: "price_basic", quantity: 7)
            #expect(try await server.place(bought) == "applied")
            let license = try await server.send("GET", "/api/devices/license/status", as: crew)
            #expect(license.integer("allowed") == 7, "\(license.text)")
        }

        @Test
        func `an Apple pass, a card window and an operator's grant are one answer, and revoking one leaves the rest`()
            async throws
        {
            let server = try await EndToEndServer.withCards
            let (shop, user) = (Self.account(), "merged-" + newID())
            let bought = now - 5 * 86_400_000
            let pass = EndToEndServer.pass(of: "com.airport.vpn.basic.30d", at: bought)
            #expect(try await server.attach(try server.sign(pass), as: user).status == 200)
            let began = Self.ago(2)
            #expect(try await server.place(Self.month(shop, from: began, user: user)) == "applied")
            let granted = try await server.command([
                "grant", user, "--pass", "pro", "--days", "3", "--reason", "sorry", "--reference", newID(),
            ])
            #expect(granted.status == 0, "\(granted.text)")
            let merged = try await server.status(of: user)
            #expect(merged.string("tier") == "pro" && merged.count("entitlements") == 3, "\(merged.text)")
            #expect(merged.integer("expires_at_ms").map { $0 >= (began + 30 * Self.day) * 1_000 } == true)
            // The card is refunded whole: the grant and the pass stand.
            let (invoice, intent) = ("in_" + shop.tag, "pi_" + shop.tag)
            let told: [CardAccount.Event] = [
                shop.event(2, "charge.refunded", at: Self.ago(1), shop.charge(intent, refunded: 999)),
                shop.event(3, "invoice_payment.paid", at: began, shop.invoicePayment(invoice, intent: intent)),
                shop.event(
                    4, "invoice.paid", at: began,
                    shop.invoice(invoice, from: began, until: began + 30 * Self.day, intent: intent)),
            ]
            #expect(try await server.place(told[0]) == "parked no_purchase")
            #expect(try await server.place(told[1]) == "applied")
            #expect(try await server.place(told[2]) == "applied")
            #expect(try await server.settled(told[0]) { $0 == "applied" } == "applied")
            let left = try await server.status(of: user)
            let states = (0..<3).map { place in
                (left.string("entitlements.\(place).source") ?? "") + " "
                    + (left.string("entitlements.\(place).state") ?? "")
            }
            #expect(states.contains("stripe revoked"), "\(left.text)")
            #expect(left["active"]?.flag == true && left.string("tier") == "pro", "\(left.text)")
        }

        @Test func `who cannot be named waits, and is named by a later event or its customer`() async throws {
            let server = try await EndToEndServer.withCards
            let (shop, user, began) = (Self.account(), "named-" + newID(), Self.ago(3))
            let orphan = Self.month(shop, from: began)
            #expect(try await server.place(orphan) == "parked no_user")
            let session = shop.event(
                2, "checkout.session.completed", at: began,
                shop.session("subscription", user: user, customer: shop.customer))
            #expect(try await server.place(session) == "applied")
            #expect(try await server.outcomes(of: orphan.id) == ["applied"])
            #expect(try await server.status(of: user).string("tier") == "pro")
            // A further purchase of the customer says nobody, and is the same user's.
            let pass = shop.event(
                3, "checkout.session.completed", at: Self.ago(1),
                shop.session(
                    "payment", customer: shop.customer, intent: "pi_" + shop.tag, with: ["payment_link": "plink_coins"])
            )
            #expect(try await server.place(pass) == "applied")
            #expect(try await server.status(of: user).integer("credits.0.spendable") == 100)
            // A customer who was never named, and is by something else.
            let (other, late) = (Self.account(), "late-" + newID())
            let waiting = Self.month(other, from: began)
            #expect(try await server.place(waiting) == "parked no_user")
            let named = other.event(
                2, "customer.updated", at: Self.ago(1),
                ["id": .text(other.customer), "object": "customer", "metadata": ["user_id": .text(late)]])
            #expect(try await server.place(named) == "applied")
            #expect(try await server.settled(waiting) { $0 == "applied" } == "applied")
            #expect(try await server.status(of: late).string("tier") == "pro")
        }

        @Test func `a refund whose purchase is not known waits without being tried again and again`() async throws {
            let server = try await EndToEndServer.startWithCards()
            let shop = Self.account()
            for place in 1...2 {
                let refund = shop.event(
                    place, "charge.refunded", at: Self.ago(place == 1 ? 2 : 1),
                    shop.charge("pi_" + shop.tag, refunded: place == 1 ? 333 : 999))
                #expect(try await server.place(refund) == "parked no_purchase")
            }
            // Both say what the charge means, and wait for it.
            let start = ContinuousClock.now
            while try await server.schema.number("SELECT COUNT(*) FROM jobs") != 0,
                start.duration(to: .now) < .seconds(10)
            {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            #expect(try await server.place(Self.pass(shop, "late-refund", at: Self.ago(3))) == "applied")
            while try await server.schema.number("SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'parked'") != 0,
                start.duration(to: .now) < .seconds(30)
            {
                try await Task.sleep(for: .milliseconds(50))
            }
            let status = try await server.status(of: "late-refund")
            #expect(status.string("entitlements.0.state") == "revoked", "\(status.text)")
            #expect(try await server.end() == 0)
        }

        @Test func `events that lead to one another are all placed, however many come at once`() async throws {
            let server = try await EndToEndServer.withCards
            let began = Self.ago(10)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for place in 0..<40 {
                    if place >= 8 { try await group.next() }
                    group.addTask { try await Self.tellAtOnce(to: server, from: began) }
                }
                try await group.waitForAll()
            }
        }

        /// A subscription, who has it, what paid for it and that this went back, each delivered at the same time.
        private static func tellAtOnce(to server: EndToEndServer, from began: Int64) async throws {
            let (shop, user) = (account(), "at-once-" + newID())
            let (invoice, intent) = ("in_" + shop.tag, "pi_" + shop.tag)
            let session = shop.session("subscription", user: user, customer: shop.customer)
            let events = [
                month(shop, from: began),
                shop.event(2, "checkout.session.completed", at: began, session),
                shop.event(
                    3, "invoice.paid", at: began,
                    shop.invoice(invoice, from: began, until: began + 30 * day, intent: intent)),
                shop.event(4, "invoice_payment.paid", at: began, shop.invoicePayment(invoice, intent: intent)),
                shop.event(5, "charge.refunded", at: began + day, shop.charge(intent, refunded: 999)),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for event in events.shuffled() { group.addTask { _ = try await server.deliver(event) } }
                try await group.waitForAll()
            }
            for event in events {
                #expect(try await server.settled(event) { !$0.hasPrefix("parked") }?.hasPrefix("parked") == false)
            }
            let status = try await server.status(of: user)
            #expect(status.integer("expires_at_ms") == (began + day) * 1_000, "\(status.text)")
        }

        @Test func `a customer is never renamed, and what is no user id names nobody`() async throws {
            let server = try await EndToEndServer.withCards
            let (shop, anna, ben) = (Self.account(), "anna-" + newID(), "ben-" + newID())
            for (place, user) in [anna, ben].enumerated() {
                let session = shop.event(
                    place, "checkout.session.completed", at: Self.ago(5),
                    shop.session(
                        "payment", user: user, customer: shop.customer, intent: "pi_\(place)" + shop.tag,
                        with: ["payment_link": "plink_pass"]))
                #expect(try await server.place(session) == (place == 0 ? "applied" : "applied contradicted"))
                #expect(try await server.status(of: user).string("tier") == "pro", "the session says whose it is")
            }
            #expect(try await server.place(Self.month(shop, 3, from: Self.ago(1))) == "applied")
            #expect(try await server.status(of: anna).count("entitlements") == 2)
            #expect(try await server.status(of: ben).count("entitlements") == 1)
            let bad = Self.pass(Self.account(), "no user id!", at: Self.ago(1))
            #expect(try await server.place(bad) == "parked invalid_user_id")
        }

        @Test func `a subscription stays with whom its customer or its session names first, and the other is shown`()
            async throws
        {
            let server = try await EndToEndServer.withCards
            for isSessionFirst in [true, false] {
                let (shop, anna, ben) = (Self.account(), "anna-" + newID(), "ben-" + newID())
                let known = shop.event(
                    1, "customer.created", at: Self.ago(9),
                    ["id": .text(shop.customer), "object": "customer", "metadata": ["user_id": .text(anna)]])
                #expect(try await server.place(known) == "applied")
                let began = Self.ago(5)
                let month = Self.month(shop, 2, from: began)
                let session = shop.event(
                    3, "checkout.session.completed", at: began,
                    shop.session("subscription", user: ben, customer: shop.customer))
                for event in isSessionFirst ? [session, month] : [month, session] {
                    let result = try await server.place(event)
                    let said = isSessionFirst ? "applied contradicted" : "duplicate"
                    #expect(result == (event.id == session.id ? said : "applied"))
                }
                let outcome = try await server.settled(session) { $0.hasSuffix("contradicted") }
                #expect(outcome?.hasSuffix("contradicted") == true)
                let (first, other) = isSessionFirst ? (ben, anna) : (anna, ben)
                #expect(try await server.status(of: other).count("entitlements") == 0)
                let told = try await server.status(of: first, "?history=1")
                #expect(told.string("tier") == "pro", "\(told.text)")
                #expect(told.integer("segments.0.starts_at_ms") == began * 1_000, "\(told.text)")
                #expect(try await server.deliver(session).string("result") == "duplicate")
                #expect(try await server.status(of: first).count("entitlements") == 1)
            }
        }

        @Test func `an event of a purchase that somebody has is a contradiction where it names another`() async throws {
            let server = try await EndToEndServer.withCards
            let (shop, anna, ben) = (Self.account(), "anna-" + newID(), "ben-" + newID())
            let began = Self.ago(5)
            #expect(try await server.place(Self.month(shop, 1, from: began, user: anna)) == "applied")
            let again = Self.month(shop, 2, from: began, user: ben, told: began + 60)
            #expect(try await server.place(again) == "applied contradicted")
            #expect(try await server.status(of: anna).count("entitlements") == 1)
            #expect(try await server.status(of: ben).count("entitlements") == 0)
        }

        @Test func `an unmapped price is recorded, and counts when the catalogue learns it`() async throws {
            let server = try await EndToEndServer.startWithCards()
            let event = Self.pass(Self.account(), "early", at: Self.ago(1), link: "plink_new")
            #expect(try await server.place(event) == "applied")
            let before = try await server.status(of: "early", "?explain=1")
            #expect(before.string("entitlements.0.state") == "recorded", "\(before.text)")
            let product = "  - {id: new, kind: pass, tier: pro, duration: 7d, stripe: {payment_links: [plink_new]}}"
            try EndToEndServer.write(
                EndToEndServer.catalogue(adding: EndToEndServer.cardProducts + "\n" + product),
                to: server.directory + "/catalog.yaml")
            let applied = try await server.command(["catalog", "apply"])
            #expect(applied.status == 0, "\(applied.text)")
            let start = ContinuousClock.now
            while try await server.status(of: "early").string("tier") != "pro", start.duration(to: .now) < .seconds(20)
            {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await server.status(of: "early").string("tier") == "pro")
            #expect(try await server.end() == 0)
        }

        @Test func `what is not signed is refused with 400, and nothing is stored`() async throws {
            let server = try await EndToEndServer.withCards
            let event = Self.pass(Self.account(), "nobody", at: Self.ago(1))
            let count = "SELECT COUNT(*) FROM inbox_deliveries WHERE external_id = ?"
            let seconds = now / 1_000
            for (header, reason) in [
                (nil, "header_missing"), ("x", "header_malformed"), ("t=\(seconds)", "signature_missing"),
                (event.header("whsec_wrong", at: seconds), "signature_mismatch"),
                (event.header(EndToEndServer.cardSecret, at: seconds - 400), "timestamp_out_of_range"),
                (event.header(EndToEndServer.cardSecret, at: seconds + 400), "timestamp_out_of_range"),
            ] as [(String?, String)] {
                let answer = try await server.send(
                    "POST", EndToEndServer.cardPath, Array(event.body.utf8),
                    fields: header.map { [("Stripe-Signature", $0)] } ?? [])
                #expect(answer.status == 400 && answer.string("code") == "evidence_invalid", "\(answer.text)")
                #expect(answer.string("reason") == reason, "\(answer.text)")
            }
            let malformed = try await server.deliver(CardAccount.Event(id: "e", body: #"{"id":"e","id":"f"}"#))
            #expect(malformed.status == 400 && malformed.string("reason") == "payload_malformed", "\(malformed.text)")
            #expect(try await server.schema.number(count, [.text(event.id)]) == 0)
            let large = CardAccount.Event(id: "e", body: String(repeating: " ", count: 1_048_577))
            #expect(try await server.deliver(large).status == 413)
            let without = try await EndToEndServer.shared
            #expect(try await without.deliver(event).status == 404)
        }

        @Test func `an event that 64 deliver at once has one effect`() async throws {
            let server = try await EndToEndServer.withCards
            let user = "crowd-" + newID()
            let event = Self.pass(Self.account(), user, at: Self.ago(1), link: "plink_coins")
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...64 { group.addTask { try await server.deliver(event).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == [Int](repeating: 200, count: 64))
            _ = try await server.settled(event) { $0 != "parked pending" }
            #expect(try await server.outcomes(of: event.id) == ["applied"])
            #expect(try await server.status(of: user).integer("credits.0.spendable") == 100)
        }

        @Test func `what was stored and not placed before the server was killed is placed by the next one`()
            async throws
        {
            let server = try await EndToEndServer.startWithCards()
            try await server.schema.rows(
                "CREATE TRIGGER stop BEFORE INSERT ON ledger_entries FOR EACH ROW SIGNAL SQLSTATE '45000'")
            let event = Self.pass(Self.account(), "killed", at: Self.ago(1))
            #expect(try await server.deliver(event).string("result") == "parked")
            #expect(try await server.outcomes(of: event.id) == ["parked pending"])
            try await server.end(by: SIGKILL)
            try await server.schema.rows("DROP TRIGGER stop")
            try await server.schema.rows("UPDATE jobs SET due_at = 0")
            try await server.boot()
            #expect(try await server.settled(event) { $0 == "applied" } == "applied")
            #expect(try await server.status(of: "killed").string("tier") == "pro")
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            #expect(try await server.end() == 0)
        }

        @Test func `an erased person who is named again, about what was theirs, is nobody`() async throws {
            let server = try await EndToEndServer.withCards
            let (shop, user) = (Self.account(), "named-again-" + newID())
            let named: CardJSON = [
                "id": .text(shop.customer), "object": "customer", "metadata": ["user_id": .text(user)],
            ]
            #expect(try await server.place(shop.event(1, "customer.created", at: Self.ago(3), named)) == "applied")
            #expect(try await server.place(Self.month(shop, 2, from: Self.ago(3))) == "applied")
            #expect(try await server.command(["user", "erase", user, "--reason", "asked"]).status == 0)
            let session = shop.session("subscription", user: user, customer: shop.customer)
            _ = try await server.place(shop.event(3, "checkout.session.completed", at: Self.ago(3), session))
            #expect(try await server.schema.number("SELECT COUNT(*) FROM users WHERE user_id = ?", [.text(user)]) == 0)
        }

        @Test func `erasing a person deletes the texts that name them, also those that come later`() async throws {
            let server = try await EndToEndServer.withCards
            let (shop, user) = (Self.account(), "gone-" + newID())
            let bought = shop.event(
                1, "checkout.session.completed", at: Self.ago(3),
                shop.session(
                    "payment", user: user, customer: shop.customer, intent: "pi_" + shop.tag,
                    with: ["payment_link": "plink_pass"]))
            let changed: CardJSON = [
                "id": .text(shop.customer), "object": "customer", "email": "zoë@example.com",
                "metadata": ["user_id": .text(user)],
            ]
            let charge = shop.charge("pi_" + shop.tag, refunded: 0)
            #expect(try await server.place(bought) == "applied")
            _ = try await server.place(shop.event(2, "customer.updated", at: Self.ago(2), changed))
            #expect(try await server.place(shop.event(5, "charge.succeeded", at: Self.ago(3), charge)) == "ignored")
            let exported = try await server.command(["user", "export", user])
            for type in ["customer.updated", "checkout.session.completed", "charge.succeeded"] {
                #expect(exported.text.contains(type), "\(type)")
            }
            #expect(try await server.command(["user", "erase", user, "--reason", "asked"]).status == 0)
            _ = try await server.place(shop.event(3, "customer.updated", at: Self.ago(1), changed))
            #expect(try await server.place(shop.event(6, "charge.updated", at: Self.ago(1), charge)) == "ignored")
            let refund = shop.event(4, "charge.refunded", at: Self.ago(1), shop.charge("pi_" + shop.tag, refunded: 999))
            #expect(try await server.place(refund) == "applied")
            #expect(try await server.texts(of: shop) == 0)
            #expect(try await server.schema.number("SELECT COUNT(*) FROM users WHERE user_id = ?", [.text(user)]) == 0)
        }
    }
}
