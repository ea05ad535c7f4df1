import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Many requests about one user at once, over HTTP.
    @Suite struct CreditRacing {
        /// The answers of `count` requests that are sent at once. Throws when one has none.
        private static func atOnce(
            _ count: Int, _ request: @escaping @Sendable (Int) async throws -> EndToEndAnswer
        ) async throws -> [EndToEndAnswer] {
            try await withThrowingTaskGroup(of: EndToEndAnswer.self) { group in
                for racer in 0..<count { group.addTask { try await request(racer) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        @Test func `of 64 who draw the last unit one gets it`() async throws {
            let backend = try await EndToEndBackend.shared
            for round in 0..<TestRun.rounds(20, soak: 500) {
                let user = "last" + newID()
                try await backend.attach(EndToEndBackend.sale("credits.1", at: now - day), to: user)
                let answers = try await Self.atOnce(64) { racer in
                    (racer + round) % 4 == 0
                        ? try await backend.reserve(1, for: user) : try await backend.spend(1, for: user)
                }
                #expect(answers.count { [200, 201].contains($0.status) } == 1)
                #expect(answers.count { $0.status == 409 && $0.string("code") == "insufficient_credits" } == 63)
                #expect(try await backend.look("credits", of: user).integer("data.0.spendable") == 0)
                #expect(try await EndToEndRecount(backend.server.schema).faults(like: user) == [])
            }
        }

        @Test func `64 spends under one idempotency key are one spend`() async throws {
            let backend = try await EndToEndBackend.shared
            for _ in 0..<TestRun.rounds(20, soak: 500) {
                let user = "key" + newID()
                try await backend.attach(EndToEndBackend.sale("credits.100", at: now - day), to: user)
                let answers = try await Self.atOnce(64) { _ in try await backend.spend(7, for: user, key: "once") }
                #expect(Set(answers.map(\.text)).count == 1 && answers.allSatisfy { $0.status == 200 })
                #expect(answers.count { $0.headers.first(name: "Idempotency-Replayed") == nil } == 1)
                #expect(try await backend.look("credits", of: user).integer("data.0.spent") == 7)
            }
        }

        @Test func `64 grants under one idempotency key are one grant`() async throws {
            let backend = try await EndToEndBackend.shared
            for _ in 0..<TestRun.rounds(20, soak: 500) {
                let (user, key) = ("grant" + newID(), "grant-" + newID())
                let gift = #""kind":"credits","unit":"credit","amount":5"#
                let answers = try await Self.atOnce(64) { _ in try await backend.grant(gift, to: user, key: key) }
                #expect(answers.allSatisfy { $0.status == 201 || $0.string("code") == "idempotency_in_progress" })
                #expect(Set(answers.filter { $0.status == 201 }.map(\.text)).count == 1)
                #expect(try await backend.look("credits", of: user).integer("data.0.credited") == 5)
            }
        }

        @Test func `64 transfers under one idempotency key are one transfer`() async throws {
            let backend = try await EndToEndBackend.shared
            for _ in 0..<TestRun.rounds(5, soak: 500) {
                let name = "moved" + newID()
                let (giver, receiver) = (name + ".a", name + ".b")
                let pass = EndToEndBackend.sale("pass.30", at: now - day)
                try await backend.attach(pass, to: giver)
                let body = #"{"external_id":"\#(pass.transactionId)","to_user_id":"\#(receiver)","reason":"race"}"#
                let answers = try await Self.atOnce(64) { _ in
                    try await backend.act("transfer", body, for: giver, key: name)
                }
                #expect(answers.allSatisfy { $0.status == 200 || $0.string("code") == "idempotency_in_progress" })
                #expect(Set(answers.filter { $0.status == 200 }.map(\.text)).count == 1)
                #expect(try await backend.act("transfer", body, for: giver, key: name).status == 200)
                #expect(try await EndToEndRecount(backend.server.schema).faults(like: name + ".") == [])
            }
        }

        @Test func `of 64 devices five get the five seats`() async throws {
            let backend = try await EndToEndBackend.shared
            for _ in 0..<TestRun.rounds(20, soak: 500) {
                let user = "seats" + newID()
                try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: user)
                let answers = try await Self.atOnce(64) { racer in
                    try await backend.act("devices", #"{"device_id":"d\#(racer)"}"#, for: user)
                }
                #expect(answers.count { $0.status == 201 } == 5)
                #expect(answers.count { $0.status == 409 && $0.string("code") == "seat_limit_reached" } == 59)
                let seats = try await backend.look("devices/license/status", of: user).text
                #expect(seats == #"{"allowed":5,"active":5,"suspended":0}"#)
            }
        }

        @Test func `a transfer, spends and a refund of one lot meet, and no unit is drawn twice`() async throws {
            let backend = try await EndToEndBackend.shared
            for round in 0..<TestRun.rounds(20, soak: 500) {
                let name = "meet" + newID()
                let (giver, receiver) = (name + ".a", name + ".b")
                let lot = EndToEndBackend.sale("credits.100", at: now - day)
                try await backend.attach(lot, to: giver)
                let refund = try backend.server.sign(
                    lot.refunded(at: now - 3_600_000, percentage: round % 2 == 0 ? 100_000 : 50_000))
                let body = #"{"external_id":"\#(lot.transactionId)","to_user_id":"\#(receiver)","reason":"race"}"#
                let answers = try await Self.atOnce(16) { racer in
                    switch (racer + round) % 16 {
                    case 0: try await backend.server.attach(refund, as: giver)
                    case 1: try await backend.act("transfer", body, for: giver)
                    case 2...9: try await backend.spend(15, for: giver)
                    default: try await backend.spend(15, for: receiver)
                    }
                }
                #expect(answers.allSatisfy { [200, 409].contains($0.status) })
                let recount = EndToEndRecount(backend.server.schema)
                var balance: Int64 = 0
                for user in [giver, receiver] {
                    let credits = try await backend.look("credits", of: user)
                    balance += (credits.integer("data.0.spendable") ?? 0) - (credits.integer("data.0.debt") ?? 0)
                }
                #expect(try await recount.unitsLeft(like: name + ".").map { Int64($0) } == balance)
                #expect(try await recount.faults(like: name + ".") == [])
                #expect(try await backend.act("transfer", body, for: giver).string("code") == "unknown_purchase")
            }
        }
    }
}
