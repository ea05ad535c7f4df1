import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// The order in which card events come decides nothing, nor how often: over HTTP, by a sample of the orders that
    /// `CardStoryTests` goes through (`semantics.md` §1).
    @Suite struct CardOrder {
        private static let day: Int64 = 86_400

        /// In order, in reverse and shuffled, every other time all in one second.
        @Test(arguments: CardAccount.Shape.allCases)
        func `a sample of the orders of every story comes to its end, each event told twice`(
            shape: CardAccount.Shape
        ) async throws {
            let server = try await EndToEndServer.withCards
            let start = now / 1_000 - 70 * Self.day
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sample in 0..<TestRun.rounds(8, soak: 48) {
                    if sample >= 4 { try await group.next() }
                    group.addTask { try await Self.tell(sample, shape, from: start, to: server) }
                }
                try await group.waitForAll()
            }
        }

        private static func tell(
            _ sample: Int, _ shape: CardAccount.Shape, from start: Int64, to server: EndToEndServer
        ) async throws {
            let tag = newID()
            var chance = SeededChance("card order \(sample) \(shape)")
            let user = { (story: String) in "story-\(tag)-\(story)" }
            for story in CardStory.all(of: { CardAccount(shape, tag: tag + $0) }, for: user, from: start) {
                let atOnce = sample % 2 == 1 ? story.coversAtOnce : nil
                let events = atOnce == nil ? story.events : story.eventsAtOnce
                var told = sample < 2 ? events : events.reversed()
                if sample > 3 { told.shuffle(using: &chance) }
                for event in told + told.shuffled(using: &chance) { try await server.place(event) }
                for event in events { _ = try await server.settled(event) { !$0.hasPrefix("parked") } }
                let names = told.map(\.id).joined(separator: " ")
                let covers = try await covers(user(story.name), from: start, server)
                #expect(
                    covers == atOnce ?? story.covers,
                    "GATEPASS_TEST_SEED=\(TestRun.seed), \(story.name): \(names)")
            }
        }

        /// A month is paid by an invoice, the payment is refunded, and another event says that it paid the invoice.
        @Test(arguments: [200, CardAccount.amount])
        func `a refund is placed in whatever order what leads to its period is told`(refunded: Int64) async throws {
            let server = try await EndToEndServer.withCards
            let start = now / 1_000 - 10 * Self.day
            for order in permutations(of: 4) {
                let shop = Cards.account()
                let (invoice, intent, user) = ("in_" + shop.tag, "pi_" + shop.tag, "refund-" + shop.tag)
                let end = start + 30 * Self.day
                let plan = shop.subscription("active", from: start, until: end, user: user)
                let tellings: [(String, CardJSON)] = [
                    ("customer.subscription.created", plan),
                    ("invoice.paid", shop.invoice(invoice, from: start, until: end, intent: intent)),
                    ("charge.refunded", shop.charge(intent, refunded: refunded)),
                    ("invoice_payment.paid", shop.invoicePayment(invoice, intent: intent)),
                ]
                let events = tellings.enumerated().map { number, telling in
                    shop.event(number, telling.0, at: start + Int64(number), telling.1)
                }
                for number in order { try await server.place(events[number]) }
                for event in events {
                    let outcome = try await server.settled(event) { !$0.hasPrefix("parked") }
                    #expect(outcome?.hasPrefix("parked") == false, "\(order) \(event.id) \(outcome ?? "")")
                }
                let status = try await server.status(of: user)
                #expect(status["active"]?.flag == (refunded < CardAccount.amount), "\(order) \(status.text)")
            }
        }

        /// What covers, past and planned, in days.
        private static func covers(_ user: String, from start: Int64, _ server: EndToEndServer) async throws -> [String]
        {
            let status = try await server.status(of: user, "?history=1")
            return (0..<(status.count("segments") ?? 0)).map { place in
                let days = { (name: String) in
                    ((status.integer("segments.\(place).\(name)") ?? 0) / 1_000 - start) / day
                }
                let tier = status.string("segments.\(place).tier") ?? ""
                return "\(tier) \(days("starts_at_ms"))..\(days("ends_at_ms"))"
            }
        }
    }
}
