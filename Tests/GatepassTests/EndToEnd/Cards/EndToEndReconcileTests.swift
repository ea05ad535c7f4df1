import Foundation
import StoreSimulator
import StrictJSON
import Support
import Synchronization
import Testing

extension EndToEnd {
    /// `gatepass reconcile stripe` brings what the webhook did not.
    @Suite struct Reconcile {
        private static let day: Int64 = 86_400

        /// Seconds, so many days ago.
        private static func ago(_ days: Int64) -> Int64 { now / 1_000 - days * day }

        /// Runs the command, which must not print its key. Throws when it cannot be run.
        private static func reconcile(
            _ list: EventList, at server: EndToEndServer, _ words: [String] = ["--json"]
        ) async throws -> Reconciled {
            let done = try await server.command(["reconcile", "stripe"] + words, list.settings)
            #expect(!done.text.contains(EventList.key) && !done.text.contains("canary"), "\(done.text)")
            return Reconciled(status: done.status, text: done.text)
        }

        /// A pass bought by payment link.
        private static func pass(
            for user: String?, at seconds: Int64, isLive: Bool = true, number: Int = 1
        ) -> CardAccount.Event {
            let shop = CardAccount(tag: newID(), isLive: isLive)
            return shop.event(
                number, "checkout.session.completed", at: seconds,
                shop.session("payment", user: user, intent: "pi_" + shop.tag, with: ["payment_link": "plink_pass"]))
        }

        @Test func `what the webhook lost gives access, and what is known is neither compared nor done twice`()
            async throws
        {
            let server = try await EndToEndServer.withCards
            let (lost, known, test) = ("lost-" + newID(), "known-" + newID(), "test-" + newID())
            let bought = Self.ago(2)
            let events = [
                Self.pass(for: known, at: Self.ago(3)), Self.pass(for: lost, at: bought),
                Self.pass(for: test, at: Self.ago(1), isLive: false), Self.pass(for: nil, at: Self.ago(1)),
            ]
            #expect(try await server.place(events[0]) == "applied")
            // In the account's version the one that is known says something else.
            let other = events[0].body.replacing(#""amount_total":999"#, with: #""amount_total":998"#)
            #expect(other != events[0].body)
            let list = try EventList([CardAccount.Event(id: events[0].id, body: other)] + events.dropFirst())
            defer { list.receiver.stop() }
            let dry = try await Self.reconcile(list, at: server, ["--json", "--dry-run"])
            #expect(dry.status == 0 && dry.counts == [4, 1, 3] && dry.results == [], "\(dry.text)")
            #expect(dry.report["dry_run"]?.flag == true)
            let words = try await Self.reconcile(list, at: server, ["--dry-run"])
            #expect(words.text == "Nothing was done. 4 events listed: 1 were known, 3 are new\n", "\(words.text)")
            for event in events.dropFirst() { #expect(try await server.outcomes(of: event.id).isEmpty) }
            let first = try await Self.reconcile(list, at: server)
            #expect(first.status == 0 && first.counts == [4, 1, 3], "\(first.text)")
            #expect(first.results == ["applied 2", "parked no_user 1"], "\(first.text)")
            #expect(first.report["complete"]?.flag == true && first.report["continue_after"]?.isNull == true)
            let status = try await server.status(of: lost)
            #expect(status.integer("expires_at_ms") == (bought + 30 * Self.day) * 1_000, "\(status.text)")
            #expect(try await server.status(of: test).string("entitlements.0.environment") == "Sandbox")
            #expect(try await server.status(of: known).count("entitlements") == 1)
            // The list writes events otherwise than the webhook, which brings one of them late.
            #expect(try await server.deliver(events[1]).string("result") == "duplicate")
            let again = try await Self.reconcile(list, at: server)
            #expect(again.status == 0 && again.counts == [4, 4, 0] && again.results.isEmpty, "\(again.text)")
            for event in events { #expect(try await server.outcomes(of: event.id).count == 1) }
            #expect(list.asked == Array(repeating: ["limit": "100"], count: 4))
            let headers = list.receiver.requests.map(\.header)
            #expect(headers.allSatisfy { $0.contains("uthorization: Bearer \(EventList.key)\r\n") }, "\(headers)")
        }

        @Test func `of several pages, a refund waits for the payment that an older page tells of, without a server`()
            async throws
        {
            let server = try await EndToEndServer.startWithCards()
            #expect(try await server.end() == 0)
            let (shop, user, began) = (CardAccount(tag: newID()), "pages-" + newID(), Self.ago(5))
            let (invoice, intent, end) = ("in_" + shop.tag, "pi_" + shop.tag, began + 30 * Self.day)
            let events = [
                shop.event(
                    1, "checkout.session.completed", at: began,
                    shop.session("subscription", user: user, customer: shop.customer)),
                shop.event(
                    2, "customer.subscription.created", at: began,
                    shop.subscription("active", from: began, until: end)),
                shop.event(
                    3, "invoice.paid", at: began, shop.invoice(invoice, from: began, until: end, intent: intent)),
                shop.event(4, "invoice_payment.paid", at: began, shop.invoicePayment(invoice, intent: intent)),
                shop.event(5, "charge.refunded", at: Self.ago(1), shop.charge(intent, refunded: 999)),
            ]
            let list = try EventList(events, pageSize: 1)
            defer { list.receiver.stop() }
            let done = try await Self.reconcile(list, at: server)
            #expect(done.status == 0 && done.counts == [5, 0, 5] && done.report.integer("pages") == 5, "\(done.text)")
            #expect(done.results == ["applied 5"], "\(done.text)")
            #expect(list.asked.map { $0["starting_after"] } == [nil] + events.reversed().dropLast().map(\.id))
            try await server.boot()
            let status = try await server.status(of: user)
            #expect(status.string("entitlements.0.state") == "revoked", "\(status.text)")
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            #expect(try await server.end() == 0)
        }

        @Test func `a list that is cut off says where to go on, and going on does the rest`() async throws {
            let server = try await EndToEndServer.withCards
            let users = (0..<5).map { _ in "cut-" + newID() }
            let events = users.enumerated().map { Self.pass(for: $1, at: Self.ago(9 - Int64($0))) }
            let isBroken = Switch()
            let list = try EventList(events, pageSize: 2) { request, _, _ in
                let isMiddle = request.line.contains("starting_after=\(events[3].id)")
                return isMiddle && isBroken.isOn ? .init(503, "{}", fields: ["Retry-After": "0"]) : nil
            }
            defer { list.receiver.stop() }
            let since = ["--since", "2026-01-01T00:00:00Z"]
            let goOn = "gatepass reconcile stripe --after \(events[3].id) --since 2026-01-01T00:00:00Z"
            let cut = try await Self.reconcile(list, at: server, ["--json"] + since)
            #expect(cut.status == 1 && cut.text.contains("Stripe cannot be asked: it answered 503"), "\(cut.text)")
            #expect(cut.text.contains("it answered 503\ngatepass: go on with: \(goOn)\n"), "\(cut.text)")
            #expect(cut.text.hasPrefix("gatepass: 2 events, 2 new; go on with: \(goOn)\n"), "\(cut.text)")
            #expect(cut.report["complete"]?.flag == false && cut.report.string("continue_after") == events[3].id)
            #expect(cut.results == ["applied 2"] && list.asked.count == 6, "once, and five times in vain")
            for (place, user) in users.enumerated() {
                #expect(try await server.status(of: user).count("entitlements") == (place < 3 ? 0 : 1))
            }
            isBroken.turnOff()
            let rest = try await Self.reconcile(list, at: server, ["--json", "--after", events[3].id] + since)
            #expect(rest.status == 0 && rest.results == ["applied 3"], "\(rest.text)")
            for user in users { #expect(try await server.status(of: user).count("entitlements") == 1) }
            #expect(list.asked.allSatisfy { $0["created[gte]"] == "1767225600" }, "\(list.asked)")
            #expect(list.asked[6]["starting_after"] == events[3].id)
        }

        @Test func `too many requests are made again when Stripe says so, and not if that is too long`() async throws {
            let server = try await EndToEndServer.withCards
            let patient = try EventList([]) { _, before, _ in
                before == 0 ? .init(429, "{}", fields: ["Retry-After": "1"]) : nil
            }
            defer { patient.receiver.stop() }
            let done = try await Self.reconcile(patient, at: server)
            #expect(done.status == 0 && done.counts == [0, 0, 0] && patient.asked.count == 2, "\(done.text)")
            let busy = try EventList([]) { _, _, _ in .init(429, "{}", fields: ["Retry-After": "3600"]) }
            defer { busy.receiver.stop() }
            let refused = try await Self.reconcile(busy, at: server)
            #expect(refused.status == 1 && busy.asked.count == 1, "\(refused.text)")
            #expect(refused.text.contains("it answered 429, and that it can be in 3600 seconds"), "\(refused.text)")
        }

        @Test func `a key that Stripe refuses, and what is no list, ends the run with a plain word`() async throws {
            let server = try await EndToEndServer.withCards
            let elsewhere = try EventList([])
            defer { elsewhere.receiver.stop() }
            let shown = #"{"error":{"message":"Invalid API Key provided: \#(EventList.key)"}}"#
            let event = Self.pass(for: "nobody", at: Self.ago(1)).body
            for (answer, complaint) in [
                (.init(401, shown), "Stripe does not accept stripe.api_key (401)"),
                (.init(403, shown), "Stripe does not let stripe.api_key read events (403)"),
                (.init(404, shown), "Stripe answered 404\n"),
                (
                    .init(302, "", fields: ["Location": "http://127.0.0.1:\(elsewhere.receiver.port)/v1/events"]),
                    "Stripe answered 302"
                ),
                (.init(200, "<html>"), "cannot be read: it is not strict JSON"),
                (.init(200, EventList.page([event], hasMore: true).replacing("has_more", with: "more")), "if there is"),
                (.init(200, EventList.page([], hasMore: true)), "it has more behind it, and no id to go on behind"),
                (.init(200, EventList.page(["{}"], hasMore: true)), "it has more behind it, and no id to go on behind"),
                (
                    .init(200, EventList.page([event], hasMore: false), at: .drip),
                    "Stripe cannot be asked: a page has not come whole in 10 seconds"
                ),
                (.init(200, String(repeating: " ", count: 33 << 20)), "a page is longer than 32 MiB"),
            ] as [(StoreReceiver.Answer, String)] {
                let list = try EventList([]) { _, _, _ in answer }
                defer { list.receiver.stop() }
                let done = try await Self.reconcile(list, at: server)
                #expect(done.status == 1 && done.text.contains(complaint), "\(complaint): \(done.text)")
                #expect(done.counts == [0, 0, 0] && done.text.contains("nothing was taken"), "\(done.text)")
                #expect(list.asked.count == 1, "\(complaint)")
            }
            #expect(elsewhere.asked.isEmpty, "the key goes to nobody else")
        }

        @Test func `an event that Stripe does not know to go on behind is told of`() async throws {
            let server = try await EndToEndServer.withCards
            let list = try EventList([])
            defer { list.receiver.stop() }
            let done = try await Self.reconcile(list, at: server, ["--after", "evt_&limit=1"])
            #expect(done.status == 1 && done.text.contains("it may not know the event of --after"), "\(done.text)")
            #expect(list.asked == [["limit": "100", "starting_after": "evt_&limit=1"]])
        }

        @Test func `pages that come again and again end the run`() async throws {
            let server = try await EndToEndServer.withCards
            let users = (0..<2).map { _ in "again-" + newID() }
            let events = users.map { Self.pass(for: $0, at: Self.ago(1)) }
            let list = try EventList(events) { request, _, _ in
                // The one after the other, for ever.
                let isFirst = !request.line.contains("starting_after=\(events[1].id)")
                return .init(200, EventList.page([events[isFirst ? 1 : 0].body], hasMore: true))
            }
            defer { list.receiver.stop() }
            let done = try await Self.reconcile(list, at: server)
            #expect(done.status == 1 && done.text.contains("cannot be read: it begins again"), "\(done.text)")
            #expect(list.asked.count == 3 && done.results == ["applied 2"], "\(done.text)")
            for user in users { #expect(try await server.status(of: user).string("tier") == "pro") }
        }

        @Test func `an event that cannot be read is told of and holds up no other`() async throws {
            let server = try await EndToEndServer.withCards
            let user = "beside-" + newID()
            let good = Self.pass(for: user, at: Self.ago(1))
            let bad = CardAccount.Event(id: "evt_bad", body: #"{"id":"evt_bad","object":"event","type":"t"}"#)
            let list = try EventList([good, bad])
            defer { list.receiver.stop() }
            let done = try await Self.reconcile(list, at: server)
            #expect(done.status == 0 && done.counts == [2, 0, 1], "\(done.text)")
            #expect(done.report.string("unreadable.0.event_id") == "evt_bad", "\(done.text)")
            #expect(try await server.status(of: user).string("tier") == "pro")
            #expect(try await server.outcomes(of: "evt_bad") == [])
        }

        @Test func `an event whose id is none is told of once, on whichever page, and holds up no other`() async throws
        {
            let server = try await EndToEndServer.withCards
            let users = (0..<3).map { _ in "odd-" + newID() }
            let good = users.map { Self.pass(for: $0, at: Self.ago(1)) }
            let odd = [#"{"id":"evt a","object":"event"}"#, #"{"object":"event"}"#].map { body in
                CardAccount.Event(id: "nobody asks for this", body: body)
            }
            // Pages, the newest first: good, odd; odd, good, for the odd one comes again; good.
            let list = try EventList([good[0], good[1], odd[0], good[2]], pageSize: 2)
            defer { list.receiver.stop() }
            let done = try await Self.reconcile(list, at: server)
            #expect(done.status == 0 && done.counts == [4, 0, 3], "\(done.text)")
            #expect(done.results == ["applied 3"] && done.report.count("unreadable") == 1, "\(done.text)")
            #expect(done.report["unreadable.0.event_id"]?.isNull == true, "\(done.text)")
            #expect(list.asked.map { $0["starting_after"] } == [nil, good[2].id, good[1].id])
            for user in users { #expect(try await server.status(of: user).string("tier") == "pro") }
            let last = try EventList([odd[0], odd[1], good[0]])
            defer { last.receiver.stop() }
            let words = try await Self.reconcile(last, at: server, [])
            let told = "an event cannot be read: The event has no id.\n"
            #expect(words.status == 0 && words.text.hasSuffix(told + told), "\(words.text)")
        }

        @Test func `people are told in words how many came, and what became of them`() async throws {
            let server = try await EndToEndServer.withCards
            let list = try EventList([
                Self.pass(for: "words-" + newID(), at: Self.ago(2)), Self.pass(for: nil, at: Self.ago(2)),
                CardAccount.Event(id: "evt_bad", body: #"{"id":"evt_bad"}"#),
            ])
            defer { list.receiver.stop() }
            let done = try await Self.reconcile(list, at: server, [])
            #expect(
                done.text.hasSuffix(
                    """
                    3 events listed: 0 were known, 2 are new: 1 applied, 1 parked (no_user)
                    evt_bad cannot be read: The event has no type.
                    `gatepass webhooks list --state parked` shows what waits

                    """), "\(done.text)")
            #expect(done.status == 0)
        }

        @Test func `without a key, Stripe or a database nothing is done, and the reason is told`() async throws {
            let server = try await EndToEndServer.withCards
            let list = try EventList([Self.pass(for: "nobody", at: Self.ago(1))])
            let keyless = try await server.command(["reconcile", "stripe"])
            #expect(keyless.status == 1 && keyless.text.contains("stripe.api_key is not set"), "\(keyless.text)")
            let away = ["GATEPASS_DATABASE_SOCKET": "/tmp/there-is-no-socket"].merging(list.settings) { $1 }
            let bookless = try await server.command(["reconcile", "stripe"], away)
            #expect(bookless.status == 1 && bookless.text.contains("gatepass: no connection to "), "\(bookless.text)")
            #expect(!bookless.text.contains(EventList.key) && list.asked.isEmpty, "\(bookless.text)")
            list.receiver.stop()
            let gone = try await Self.reconcile(list, at: server)
            #expect(gone.status == 1 && gone.text.contains("Stripe cannot be asked: "), "\(gone.text)")
            for words in [["--since", "yesterday"], ["--after", ""], ["--after", "a b"]] {
                let wrong = try await server.command(["reconcile", "stripe"] + words, list.settings)
                #expect(wrong.status != 0 && wrong.text.contains(words[0]), "\(wrong.text)")
            }
        }
    }
}

/// Something that is on until it is turned off.
private final class Switch: Sendable {
    private let state = Mutex(true)

    var isOn: Bool { state.withLock { $0 } }

    func turnOff() { state.withLock { $0 = false } }
}
