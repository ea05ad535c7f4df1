import MariaDB
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// The vectors of `semantics.md` §4 over HTTP; spends happen when they are asked for, refunds when the store signs.
    @Suite struct Credits {
        /// What happens to one user's credits.
        enum Step: Sendable {
            case buys(String, product: String = "credits.100", quantity: Int64 = 1)
            /// A promotion, which may end some milliseconds from now.
            case given(Int, endsIn: Int64? = nil)
            case spends(Int)
            /// In thousandths of a percent, with effect so many hours ago.
            case refunds(String, share: Int64 = 100_000, hoursAgo: Int64 = 0)
            case reverses(String)
            case reserves(Int)
            case commits
            case releases
            case waits(Int64)
            /// What the purse says: spendable, debt, and what else is not zero.
            case has(String)
        }

        struct Vector: Sendable, CustomTestStringConvertible {
            let name: String
            let steps: [Step]
            var testDescription: String { name }

            init(_ name: String, _ steps: [Step]...) {
                self.name = name
                self.steps = steps.flatMap(\.self)
            }
        }

        private static let c1: [Step] = [
            .buys("c"), .spends(70), .refunds("c"), .has("0, debt 70: credited 100, refunded 100, spent 70"),
            .refunds("c"), .has("0, debt 70: credited 100, refunded 100, spent 70"),
        ]
        private static let c4: [Step] = [
            .buys("c"), .given(50, endsIn: day), .spends(60), .has("90, debt 0: credited 150, spent 60"),
        ]
        private static let c8: [Step] = [
            .buys("c"), .reserves(60), .refunds("c"), .has("0, debt 60: credited 100, refunded 100, reserved 60"),
        ]
        private static let writtenOff = "0, debt 0: credited 100, refunded 30, spent 70, written_off 70"
        private static let c9: [Step] = [.buys("c", product: "lenient.100"), .spends(70)]

        static let vectors = [
            Vector("C1", c1),
            Vector("C2", c1, [.reverses("c"), .has("30, debt 0: credited 100, spent 70")]),
            Vector("C3", c1, [.buys("d"), .has("30, debt 0: credited 200, refunded 100, spent 70")]),
            Vector("C4", c4),
            Vector(
                "C5", c4, [.refunds("c", share: 50_000), .has("40, debt 0: credited 150, refunded 50, spent 60")]),
            Vector(
                "C6, 1 × 3",
                [
                    .buys("c", product: "credits.1", quantity: 3), .refunds("c", share: 66_667),
                    .has("1, debt 0: credited 3, refunded 2"),
                ]),
            Vector(
                "C6, 100 × 3",
                [
                    .buys("c", quantity: 3), .refunds("c", share: 66_667),
                    .has("100, debt 0: credited 300, refunded 200"),
                ]),
            Vector(
                "C6, 1 × 6",
                [
                    .buys("c", product: "credits.1", quantity: 6), .refunds("c", share: 16_667),
                    .has("5, debt 0: credited 6, refunded 1"),
                ]),
            Vector(
                "C7",
                [
                    .buys("c"), .refunds("c", share: 33_333), .has("67, debt 0: credited 100, refunded 33"),
                    .refunds("c", share: 66_667), .has("33, debt 0: credited 100, refunded 67"),
                    .reverses("c"), .has("100, debt 0: credited 100"),
                ]),
            Vector("C8, committed", c8, [.commits, .has("0, debt 60: credited 100, refunded 100, spent 60")]),
            Vector("C8, released", c8, [.releases, .has("0, debt 0: credited 100, refunded 100")]),
            Vector(
                "C9, refunded after the spend", c9,
                [.refunds("c"), .has(writtenOff), .reverses("c"), .has("30, debt 0: credited 100, spent 70")]),
            Vector(
                "C9, refunded before the spend", c9,
                [
                    .refunds("c", hoursAgo: 2), .has(writtenOff), .reverses("c"),
                    .has("30, debt 0: credited 100, spent 70"),
                ]),
            Vector(
                "C10", c1,
                [
                    .given(50, endsIn: 5_000), .has("0, debt 20: credited 150, refunded 100, spent 70"),
                    .waits(5_100), .has("0, debt 20: credited 150, refunded 100, spent 70"),
                    .reverses("c"), .has("80, debt 0: credited 150, spent 70"),
                ]),
        ]

        @Test(arguments: vectors) func `the purse says`(_ vector: Vector) async throws {
            let backend = try await EndToEndBackend.shared
            var story = Story(backend: backend, user: "credits" + newID())
            for step in vector.steps { try await story.tell(step) }
            let schema = backend.server.schema
            #expect(try await EndToEndRecount(schema).faults(like: story.user) == [])
        }

        private static func balance(_ user: String, _ backend: EndToEndBackend) async throws -> Int64 {
            let credits = try await backend.look("credits", of: user)
            return (credits.integer("data.0.spendable") ?? 0) - (credits.integer("data.0.debt") ?? 0)
        }

        @Test func `a grant that moved is taken back from all who had it`() async throws {
            let backend = try await EndToEndBackend.shared
            let name = "taken" + newID()
            let (giver, receiver) = (name + ".a", name + ".b")
            let grant = try await backend.grant(#""kind":"credits","unit":"credit","amount":47"#, to: giver)
            let id = try #require(grant.string("id"))
            try await backend.spend(38, for: giver)
            let body = #"{"external_id":"\#(id)","to_user_id":"\#(receiver)","reason":"asked"}"#
            #expect(try await backend.act("transfer", body, for: giver).status == 200)
            #expect(try await backend.act("grants/\(id)/revoke", for: receiver).status == 200)
            #expect(try await Self.balance(giver, backend) == -38)
            #expect(try await Self.balance(receiver, backend) == 0)
            #expect(try await EndToEndRecount(backend.server.schema).unitsLeft(like: name) == -38)
        }

        @Test func `a lot that comes and goes again makes no units`() async throws {
            let backend = try await EndToEndBackend.shared
            let name = "toandfro" + newID()
            let (first, second) = (name + ".a", name + ".b")
            let lot = EndToEndBackend.sale("credits.100", at: now - day)
            try await backend.attach(lot, to: first)
            let reserved = try await backend.reserve(40, for: first)
            let id = try #require(reserved.string("reservation_id"))
            for (giver, receiver) in [(first, second), (second, first)] {
                let body = #"{"external_id":"\#(lot.transactionId)","to_user_id":"\#(receiver)","reason":"x"}"#
                #expect(try await backend.act("transfer", body, for: giver).status == 200)
            }
            #expect(try await backend.act("credits/reservations/\(id)/release", "{}", for: first).status == 200)
            #expect(try await Self.balance(first, backend) == 100)
            let body = #"{"external_id":"\#(lot.transactionId)","to_user_id":"\#(second)","reason":"x"}"#
            #expect(try await backend.act("transfer", body, for: first).status == 200)
            #expect(try await Self.balance(first, backend) == 40)
            #expect(try await Self.balance(second, backend) == 60)
            #expect(try await EndToEndRecount(backend.server.schema).unitsLeft(like: name) == 100)
        }

        @Test func `a spend says from which lots it drew, however often it is asked`() async throws {
            let backend = try await EndToEndBackend.shared
            var story = Story(backend: backend, user: "draws" + newID())
            try await story.tell(.buys("c"))
            try await story.tell(.given(50, endsIn: day))
            let (first, again) = (
                try await backend.spend(60, for: story.user, key: "draw"),
                try await backend.spend(60, for: story.user, key: "draw")
            )
            #expect(first.status == 200 && first.body == again.body)
            #expect(again.headers.first(name: "Idempotency-Replayed") == "true")
            #expect([first.integer("lots.0.amount"), first.integer("lots.1.amount")] == [50, 10])
            #expect(first.string("lots.1.external_id") == story.sales["c"]?.transactionId)
            #expect(
                try await backend.spend(61, for: story.user, key: "draw").string("code") == "idempotency_key_reused")
            #expect(try await backend.spend(91, for: story.user).string("code") == "insufficient_credits")
            try await story.tell(.has("90, debt 0: credited 150, spent 60"))
            try await story.tell(.refunds("c"))
            #expect(try await backend.spend(1, for: story.user).string("code") == "in_debt")
            let rows = try await backend.server.schema.number(
                """
                SELECT COUNT(*) FROM ledger_entries l JOIN users u ON u.pseudonym = l.user_id
                WHERE u.user_id = ? AND l.kind = 'spent'
                """, [.text(story.user)])
            #expect(rows == 1)
        }
    }
}

extension EndToEnd.Credits {
    /// One user's credits as they come and go.
    struct Story {
        let backend: EndToEndBackend
        let user: String
        private(set) var sales: [String: SimulatedTransaction] = [:]
        private var reservation = ""

        init(backend: EndToEndBackend, user: String) {
            self.backend = backend
            self.user = user
        }

        /// Does what the step says and expects it to succeed. Throws when no whole answer came.
        mutating func tell(_ step: Step) async throws {
            switch step {
            case .buys(let name, let product, let quantity):
                var sale = EndToEndBackend.sale(product, at: EndToEnd.now - EndToEnd.day)
                sale.quantity = quantity
                try await show(sale, as: name)
            case .given(let units, let endsIn):
                let end = endsIn.map { #","expires_at":"\#(EndToEnd.rfc3339(EndToEnd.now + $0))""# } ?? ""
                let gift = #""kind":"credits","unit":"credit","amount":\#(units)"# + end
                #expect(try await backend.grant(gift, to: user).status == 201)
            case .spends(let units): #expect(try await backend.spend(units, for: user).status == 200)
            case .refunds(let name, let share, let hoursAgo):
                let sale = try #require(sales[name])
                let refunded = sale.refunded(at: EndToEnd.now - hoursAgo * 3_600_000, percentage: share)
                try await show(refunded.signed(at: max(EndToEnd.now, sale.signedDate + 1)), as: name)
            case .reverses(let name):
                let sale = try #require(sales[name])
                try await show(sale.reversed(at: max(EndToEnd.now, sale.signedDate + 1)), as: name)
            case .reserves(let units):
                let made = try await backend.reserve(units, for: user)
                reservation = try #require(made.string("reservation_id"))
            case .commits:
                #expect(
                    try await backend.act("credits/reservations/\(reservation)/commit", "{}", for: user).status == 200)
            case .releases:
                #expect(
                    try await backend.act("credits/reservations/\(reservation)/release", "{}", for: user).status == 200)
            case .waits(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
            case .has(let text): #expect(try await purse == text)
            }
        }

        private mutating func show(_ sale: SimulatedTransaction, as name: String) async throws {
            #expect(try await backend.attach(sale, to: user).status == 200)
            sales[name] = sale
        }

        private var purse: String {
            get async throws {
                let answer = try await backend.look("credits", of: user)
                let names = ["credited", "refunded", "expired", "spent", "reserved", "written_off"]
                let parts = names.compactMap { name in
                    answer.integer("data.0." + name).flatMap { $0 == 0 ? nil : "\(name) \($0)" }
                }
                let (spendable, debt) = (answer.integer("data.0.spendable"), answer.integer("data.0.debt"))
                return "\(spendable ?? -1), debt \(debt ?? -1): " + parts.joined(separator: ", ")
            }
        }
    }
}
