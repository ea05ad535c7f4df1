import StoreSimulator
import Entitlements
import StripeBilling
import Support
import Testing

/// What single events say, and what they do not.
@Suite struct CardNewsTests {
    private static let start: Int64 = 1_767_225_600
    private static let day: Int64 = 86_400
    private let shop = CardAccount(tag: "t")

    private func at(_ days: Int64) -> Int64 { Self.start + days * Self.day }

    private func instant(_ days: Int64) -> Instant { Instant(milliseconds: at(days) * 1_000) }

    private func news(_ type: String, at days: Int64 = 0, _ object: CardJSON) throws -> CardNews {
        try CardStoryTests.news(shop.event(1, type, at: at(days), object))
    }

    private func subscription(
        _ status: String, at days: Int64 = 1, with members: CardJSON = [:]
    ) throws -> (period: VerifiedPurchase?, renewal: VerifiedRenewal?) {
        let news = try news(
            "customer.subscription.updated", at: days,
            shop.subscription(status, from: at(0), until: at(30), with: members))
        let renewals = news.statements.compactMap { statement in
            if case .renewal(let renewal) = statement { renewal } else { nil }
        }
        return (news.statements.compactMap(\.state).first, renewals.first)
    }

    @Test func `a period is named by its item, its start and its price`() throws {
        let period = try #require(try subscription("active").period)
        #expect(period.key.externalID.text == "sub_t" && period.key.app == .cards && period.key.source == .stripe)
        #expect(period.periodID == "si_t:1767225600:price_pro" && period.transactionID.text == period.periodID)
        #expect(period.productNames.map(\.text) == ["price_pro", "price_pro_key"])
        #expect(period.isOriginal && period.expiresAt == instant(30) && period.offer == nil)
    }

    @Test(
        arguments: [
            ("trialing", true, true, false), ("active", true, true, false), ("past_due", true, true, true),
            ("unpaid", true, false, false), ("paused", true, false, false),
            ("incomplete_expired", false, false, false), ("canceled", false, false, false),
            ("brand_new", false, false, false),
        ] as [(String, Bool, Bool, Bool)])
    func `a status says whether a period runs and what will follow it`(
        status: String, runs: Bool, willRenew: Bool, isInRetry: Bool
    ) throws {
        let (period, renewal) = try subscription(status, with: ["latest_invoice": "in_1"])
        #expect(period?.expiresAt == (runs ? instant(30) : nil) && (period != nil) == runs)
        #expect(renewal?.willRenew == willRenew && renewal?.isInRetry == isInRetry && renewal?.graceEndsAt == nil)
        let isOver = ["canceled", "incomplete_expired"].contains(status)
        #expect((renewal?.endedAt == instant(1)) == isOver && (renewal?.end != nil) == isOver)
        #expect((period?.suspension != nil) == (status == "paused"))
        let bill: Bill? =
            switch status {
            case "past_due": Bill("in_1", isPaid: false, graceEndsAt: instant(14))
            case "unpaid": Bill("in_1", isPaid: false, graceEndsAt: instant(1))
            default: nil
            }
        #expect(period?.bill == bill)
    }

    @Test func `what has not begun says nothing, not even that nothing follows`() throws {
        let told = shop.subscription("incomplete", from: at(0), until: at(30))
        #expect(try news("customer.subscription.created", told).statements.isEmpty)
    }

    @Test func `a price goes before metadata, and the subscription's metadata comes last`() throws {
        let price: CardJSON = ["id": "price_x", "lookup_key": "key_x", "metadata": ["plan_id": "monthly_1"]]
        let item = shop.item(from: at(0), until: at(30)).with(["price": price])
        let told = try subscription(
            "active", with: ["items": ["data": [item]], "metadata": ["plan_id": "annual_2"]])
        #expect(told.period?.productNames.map(\.text) == ["price_x", "key_x", "monthly_1", "annual_2"])
        let paid = try news(
            "checkout.session.completed",
            shop.session(
                "payment", user: "anna", intent: "pi_1",
                with: ["payment_link": "plink_pass", "metadata": ["plan_id": "monthly_1"]]))
        #expect(paid.statements.first?.state?.productNames.map(\.text) == ["plink_pass", "monthly_1"])
    }

    @Test func `none of a thing is no period, and no number of seats is too large`() throws {
        for (quantity, stated) in [(-1, 0), (0, 0), (1, 1), (.max, Int.max)] as [(Int64, Int)] {
            let told = try news(
                "customer.subscription.updated",
                shop.subscription("active", from: at(0), until: at(30), quantity: quantity))
            #expect(told.statements.first?.state?.quantity == stated)
        }
    }

    @Test func `an invoice says what became of each of its lines, once it is paid or could not be`() throws {
        let lines = [
            shop.line(from: at(0), until: at(30)), shop.line(from: at(9), until: at(30), isProration: true),
            shop.line(from: at(9), until: at(30), price: "price_basic", isProration: true, amount: -9),
        ]
        for isPaid in [true, false] {
            let told = try news("invoice.updated", at: 3, shop.invoice("in_1", of: lines, intent: "pi", isPaid: isPaid))
            let states = told.statements.compactMap(\.state)
            #expect(states.map(\.item) == ["si_t", nil] && states.map(\.purchasedAt) == [instant(0), instant(9)])
            let bill = Bill("in_1", isPaid: isPaid, amountPaid: isPaid ? CardAccount.amount : nil)
            #expect(states.allSatisfy { $0.bill == bill && $0.signedAt == instant(3) })
            #expect(states.allSatisfy { $0.expiresAt == nil && $0.eventID == nil && !$0.isOriginal })
            let paid = told.numbers.filter { $0.number == "in_1" }
            #expect(paid.count == (isPaid ? 2 : 0), "only what is paid can go back")
            guard isPaid else { continue }
            let part = PurchaseNumber(
                "in_1", meaning: try #require(states.last?.transactionID), of: ExternalID("sub_t"))
            #expect(paid.last == part, "what is added for a part pays for no period")
        }
        let whole = shop.invoice("in_1", of: lines, intent: "pi", isPaid: false)
        for members: CardJSON in [
            ["status": "draft"], ["status": "void"], ["attempt_count": 0],
            ["lines": ["data": .array(lines), "has_more": true]],
        ] {
            #expect(try news("invoice.updated", whole.with(members)).statements.isEmpty, "\(members.json)")
        }
    }

    @Test func `what will be cancelled covers until then, and is not renewed`() throws {
        let atEnd = try subscription("active", with: ["cancel_at_period_end": true])
        #expect(atEnd.renewal?.willRenew == false && atEnd.period?.expiresAt == instant(30))
        let before = try subscription("active", with: ["cancel_at": .number(at(20))])
        #expect(before.renewal?.willRenew == false && before.period?.expiresAt == instant(20))
        let later = try subscription("active", with: ["cancel_at": .number(at(50))])
        #expect(later.renewal?.willRenew == true && later.period?.expiresAt == instant(30))
        let failed = try subscription(
            "canceled", with: ["ended_at": .number(at(9)), "cancellation_details": ["reason": "payment_failed"]])
        #expect(failed.renewal?.end == .billing && failed.renewal?.endedAt == instant(9))
    }

    @Test func `a trial is an offer for nothing`() throws {
        let trial = try subscription("trialing", with: ["trial_end": .number(at(30))])
        #expect(trial.period?.offer == "trial" && trial.period?.price == Price(milliunits: 0, currency: "EUR"))
        let after = try subscription("active", with: ["trial_end": .number(at(0))])
        #expect(after.period?.offer == nil && after.period?.price == nil)
    }

    @Test func `whom it names, in the order of trust`() throws {
        let both = try news(
            "checkout.session.completed",
            shop.session("payment", user: "anna", intent: "pi_1", with: ["metadata": ["user_id": "ben"]]))
        #expect(both.users == ["anna", "ben"] && both.about?.externalID.text == "pi_1")
        let customer = try news(
            "customer.updated", ["id": "cus_t", "object": "customer", "metadata": ["user_id": "a"]])
        #expect(customer.users == ["a"] && customer.customer == "cus_t" && customer.about == nil)
        let invoice = try news(
            "invoice.paid", shop.invoice("in_1", from: at(0), until: at(30), intent: "pi", user: "c"))
        #expect(invoice.users == ["c"] && invoice.about?.externalID.text == "sub_t")
    }

    @Test func `a delayed payment counts when it is paid, and a guest's has no customer`() throws {
        let unpaid = try news(
            "checkout.session.completed", shop.session("payment", user: "anna", paid: "unpaid", intent: "pi_1"))
        #expect(unpaid.statements.isEmpty && unpaid.remark == .unpaid)
        let paid = try news(
            "checkout.session.async_payment_succeeded", at: 2, shop.session("payment", user: "anna", intent: "pi_1"))
        #expect(paid.statements.first?.state?.purchasedAt == instant(2) && paid.customer == nil)
        let free = try news("checkout.session.completed", shop.session("payment", paid: "no_payment_required"))
        #expect(free.about?.externalID.text == "cs_t_payment" && free.statements.count == 1)
        let failed = try news("checkout.session.async_payment_failed", shop.session("payment", intent: "pi_1"))
        #expect(failed.statements.isEmpty && failed.remark == .unconcerned)
    }

    @Test func `a refund's share is of what was charged, and only Stripe says that it is the whole`() throws {
        for (refunded, share) in [(0, nil), (333, 33_333), (998, 99_899), (999, 100_000)] as [(Int64, Int?)] {
            let told = try news("charge.refunded", shop.charge("pi_1", refunded: refunded))
            #expect(told.takeback?.revocation?.share == share)
        }
        var rounded = shop.charge("pi_1", refunded: 999)
        rounded = rounded.with(["refunded": false])
        #expect(try news("charge.refunded", rounded).takeback?.revocation?.share == 99_999)
    }

    @Test func `a charge that says that neither a session nor an invoice made it concerns nobody`() throws {
        let charge = shop.charge("pi_1", refunded: 999)
        for (members, remark) in [
            (["invoice": nil, "payment_intent": nil], .unconcerned), (["invoice": nil], nil),
            (["payment_intent": nil], nil), (["invoice": "in_1", "payment_intent": nil], nil),
        ] as [(CardJSON, CardNews.Remark?)] {
            let told = try news("charge.refunded", charge.with(members))
            #expect(told.remark == remark && (told.takeback == nil) == (remark != nil), "\(members.json)")
        }
    }

    @Test func `of a charge that was captured in part the share is of that part`() throws {
        for (refunded, share) in [(100, 20_000), (499, 99_800), (500, 100_000), (501, 100_000)] as [(Int64, Int)] {
            let told = try news("charge.refunded", shop.charge("pi_1", refunded: refunded, captured: 500))
            let revocation = told.takeback?.revocation
            #expect(revocation?.share == share && revocation?.payment == 500)
        }
        for amount in [0, -1, Int64.min] {
            let told = try news("charge.refunded", shop.charge("pi_1", refunded: 1).with(["amount": .number(amount)]))
            #expect(told.takeback?.revocation == nil, "of \(amount) nothing can go back")
        }
        for captured in [0, -1, 1_000] as [Int64] {
            let told = try news("charge.refunded", shop.charge("pi_1", refunded: 333, captured: captured))
            let revocation = told.takeback?.revocation
            #expect(revocation?.share == 33_333 && revocation?.payment == 999, "\(captured) was not captured in part")
        }
    }

    @Test func `a lost dispute does not say how much was paid`() throws {
        let told = try news("charge.dispute.closed", at: 5, shop.dispute("pi_1", "lost"))
        #expect(told.takeback?.revocation == Revocation(revokedAt: instant(5), share: Revocation.fullShare))
    }

    @Test(
        arguments: [
            ("product.created", .unknownType), ("customer.subscription.reborn", .unknownType),
            ("payment_intent.succeeded", .unconcerned), ("checkout.session.expired", .unconcerned),
            ("customer.subscription.updated", .unreadable), ("charge.refunded", .unreadable),
        ] as [(String, CardNews.Remark)])
    func `what concerns nobody, or cannot be read, is kept and nothing is done`(
        type: String, remark: CardNews.Remark
    ) throws {
        let told = try news(type, ["object": "whatever"])
        #expect(told.remark == remark && told.statements.isEmpty && told.takeback == nil)
    }

    @Test func `a thin event says not what it is about`() throws {
        let thin = CardAccount.Event(
            id: "evt_2", body: #"{"id":"evt_2","object":"v2.core.event","type":"v1.x","created":"2026"}"#)
        #expect(try CardStoryTests.news(thin).remark == .thin)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"id":"e"}"#, #"{"id":"e","type":"t","object":"event","livemode":true}"#,
        #"{"id":"e","type":"t","object":"event","created":1}"#, #"{"id":"e","id":"f","type":"t"}"#,
    ])
    func `a signed body that is no event is malformed`(body: String) {
        #expect(throws: VerifiedEvent.Malformed.self) {
            _ = try CardStoryTests.event(CardAccount.Event(id: "e", body: body))
        }
    }

    @Test func `how often it was sent changes nothing of what an event says`() throws {
        let event = shop.event(1, "charge.refunded", at: at(0), shop.charge("pi_1", refunded: 333))
        let again = CardAccount.Event(
            id: event.id, body: event.body.replacing(#""pending_webhooks":1"#, with: #""pending_webhooks":2"#))
        let other = shop.event(1, "charge.refunded", at: at(0), shop.charge("pi_1", refunded: 334))
        let digests = try [event, again, other].map { try CardStoryTests.event($0).contentDigest }
        #expect(digests[0] == digests[1] && digests[0] != digests[2])
    }

    private static func digest(_ data: String) throws -> [UInt8] {
        let text = #"{"id":"evt_1","object":"event","type":"t","created":1,"livemode":true,"data":\#(data)}"#
        return try VerifiedEvent.read(listed: Array(text.utf8)).contentDigest
    }

    @Test func `how an event is written changes nothing of what it says`() throws {
        let first = try Self.digest(#"{"object":{"a":"é/","b":[1,{"c":null,"d":-1.50}],"":true}}"#)
        for same in [
            #"{ "object" : { "b":[ 1 , {"d":-1.50,"c":null}], "":true,"a":"\u00e9\/" } }"#,
            "{\n  \"object\": {\n    \"\": true, \"a\": \"é/\",\r\n\t\"b\": [1, {\"c\": null, \"d\": -1.50}]}}",
        ] { #expect(try Self.digest(same) == first, "\(same)") }
    }

    @Test func `no two events that say different things have one digest`() throws {
        let texts = [
            "{}", "[]", "null", "true", "false", #""""#, #"{"a":1}"#, #"{"a":"1"}"#, #"{"a":null}"#, #"{"a":true}"#,
            #"{"a":"true"}"#, #"{"a":[]}"#, #"{"a":{}}"#, #"{"a":[[]]}"#, #"{"a":[[],[]]}"#, #"{"a":[1,2]}"#,
            #"{"a":[2,1]}"#, #"{"a":[12]}"#, #"{"a":["1","2"]}"#, #"{"a":["12"]}"#, #"{"a":["1\"1:2"]}"#,
            #"{"a":"b","c":"d"}"#, #"{"a":{"b":{}},"c":1}"#, #"{"a":{"b":{},"c":1}}"#, #"{"a":"bc:d"}"#, #"{"A":1}"#,
            #"{"a":1.0}"#, #"{"a":"é"}"#, #"{"a":"e\u0301"}"#,
        ]
        #expect(Set(try texts.map { try Self.digest(#"{"object":\#($0)}"#) }).count == texts.count)
    }

    @Test func `an event of a list is no longer than one of a webhook`() throws {
        let text = Array(#"{"id":"evt_1","object":"event","type":"t","created":1,"livemode":true}"#.utf8)
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: VerifiedEvent.maximumBytes - text.count)
        #expect(try VerifiedEvent.read(listed: text + blanks).id == "evt_1")
        #expect(throws: VerifiedEvent.Malformed.self) { try VerifiedEvent.read(listed: text + blanks + [0x20]) }
    }

    @Test func `a page has its events as they stand in it, and says if there are older ones`() throws {
        let event = #"{ "id" : "evt_1", "object": "event" }"#
        let page = try EventPage(Array(#"{"object":"list","data":[\#(event) ,{"id":"evt_2"}],"has_more":true}"#.utf8))
        #expect(page.entries.map(\.id) == ["evt_1", "evt_2"] && page.hasMore)
        #expect(page.entries[0].text == Array(event.utf8))
        let last = try EventPage(Array(#"{"data":[],"has_more":false}"#.utf8))
        #expect(last.entries.isEmpty && !last.hasMore)
    }

    @Test func `what is listed without an id holds up no event, and the next page begins behind the last id`() throws {
        let odd = #"{}, 1, {"id":"a b"}, {"id":7}"#
        let text = #"{"data":[{"id":"evt_1"},\#(odd),{"id":"evt_2"},\#(odd)],"has_more":"#
        let page = try EventPage(Array((text + "true}").utf8))
        #expect(page.entries.map(\.id) == ["evt_1", nil, nil, nil, nil, "evt_2"] && page.end == "evt_2")
        let last = try EventPage(Array((text + "false}").utf8))
        #expect(last.entries.count == 10 && last.end == "evt_2")
        let nameless = try EventPage(Array(#"{"data":[\#(odd)],"has_more":false}"#.utf8))
        #expect(nameless.entries.count == 4 && nameless.end == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"data":[]}"#, #"{"has_more":false}"#, #"{"data":{},"has_more":false}"#,
        #"{"data":[],"has_more":"false"}"#, #"{"data":[],"has_more":true}"#, #"{"data":[1],"has_more":true}"#,
        #"{"data":[{}],"has_more":true}"#, #"{"data":[{"id":"a b"}],"has_more":true}"#,
        #"{"data":[{"id":"evt_1"}],"has_more":false"#, #"{"data":[],"data":[],"has_more":false}"#,
        "{\"data\":[],\"has_more\":false}\u{0}",
    ])
    func `what is no page is malformed`(body: String) {
        #expect(throws: EventPage.Malformed.self) { try EventPage(Array(body.utf8)) }
    }
}
