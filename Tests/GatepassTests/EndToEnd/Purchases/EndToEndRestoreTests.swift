import AppStore
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// Everything a client has at once: each item its own verdict, none spoils another.
    @Suite struct Restoring {
        /// An item of the big restore and what must be said of it.
        private struct Item {
            let json: String
            let outcome: String
            var code: String?
            var reason: String?
        }

        @Test func `five hundred items of every kind, each with its verdict`() async throws {
            let server = try await EndToEndServer.shared
            let held = EndToEndServer.pass(at: now - day)
            let foreign = EndToEndServer.pass(at: now - day)
            try await server.attach(server.sign(held), as: "restorer")
            try await server.attach(server.sign(foreign), as: "somebody")
            var chance = SeededChance("restore 500")
            var items = try special(server, held: held, foreign: foreign)
            while items.count < 480 {
                let pass = EndToEndServer.pass(at: now - Int64.random(in: 1_000...86_400_000, using: &chance))
                items.append(Item(json: try quoted(server.sign(pass)), outcome: "attached"))
            }
            items.shuffle(using: &chance)
            let repeated = items.filter { $0.outcome == "attached" && $0.reason == nil }.prefix(20)
            items += repeated.map { Item(json: $0.json, outcome: "duplicate_in_request") }
            #expect(items.count == 500)

            let answer = try await server.restore(items.map(\.json), as: "restorer")
            #expect(answer.status == 200)
            let results = answer["results"]?.elements ?? []
            #expect(results.count == 500)
            for (index, (item, result)) in zip(items, results).enumerated() {
                let verdict = [result["outcome"], result["code"], result["reason"]].map { $0?.string }
                #expect(result["index"]?.integer == String(index))
                #expect(verdict == [item.outcome, item.code, item.reason], "item \(index)")
            }
            let tally = Dictionary(grouping: items, by: \.outcome).mapValues { Int64($0.count) }
            #expect(answer.integer("summary.attached") == tally["attached"])
            #expect(answer.integer("summary.already_attached") == tally["already_attached"])
            #expect(answer.integer("summary.revoked") == tally["revoked"])
            #expect(answer.integer("summary.recorded") == tally["recorded"])
            #expect(answer.integer("summary.duplicates") == 20)
            #expect(answer.integer("summary.refused") == tally["refused"])
            #expect(answer.integer("summary.recovered") == 0)
            #expect(answer.string("history") == "not_configured")
            #expect(tally.values.allSatisfy { $0 > 0 } && tally.count == 6)

            let counts = try await server.schema.counts()
            let again = try await server.restore(items.map(\.json), as: "restorer")
            let attached = (tally["attached"] ?? 0) + (tally["already_attached"] ?? 0)
            #expect(again.integer("summary.already_attached") == attached)
            #expect(again.integer("summary.attached") == 0)
            #expect(again.integer("status.expires_at_ms") == answer.integer("status.expires_at_ms"))
            #expect(try await server.schema.counts() == counts)
        }

        /// Items of the other kinds, forty in all.
        private func special(
            _ server: EndToEndServer, held: SimulatedTransaction, foreign: SimulatedTransaction
        ) throws -> [Item] {
            let fresh = { EndToEndServer.pass(at: now - day) }
            var items: [Item] = []
            for number in 0..<3 {
                let jws = try server.sign(fresh())
                var other = fresh()
                other.bundleId = "com.somebody.else"
                var mistyped = fresh()
                mistyped.type = .consumable
                items += [
                    Item(
                        json: quoted(Self.tampered(jws)), outcome: "refused", code: "evidence_invalid",
                        reason: "signature_mismatch"),
                    Item(json: quoted("no.j.ws"), outcome: "refused", code: "evidence_invalid", reason: "malformed"),
                    Item(json: try quoted(server.sign(other)), outcome: "refused", code: "wrong_app"),
                    Item(
                        json: try quoted(server.sign(EndToEndServer.pass(of: "com.airport.vpn.unknown", at: now))),
                        outcome: "recorded", reason: "unknown_product"),
                    Item(json: try quoted(server.sign(mistyped)), outcome: "recorded", reason: "product_type_mismatch"),
                    Item(
                        json: try quoted(server.sign(fresh().familyShared())), outcome: "recorded",
                        reason: "family_shared"),
                    Item(json: try quoted(server.sign(fresh().refunded(at: now - 5_000))), outcome: "revoked"),
                    Item(
                        json: ["17", "null", "{\"a\":[]}"][number], outcome: "refused", code: "invalid_request"),
                    Item(
                        json: quoted(String(repeating: "x", count: 16_385)), outcome: "refused",
                        code: "payload_too_large"),
                ]
            }
            items += [
                Item(json: try quoted(server.sign(held.signed(at: now - 60_000))), outcome: "already_attached"),
                Item(json: try quoted(server.sign(foreign)), outcome: "refused", code: "owned_by_another_user"),
                Item(
                    json: try quoted(server.sign(EndToEndServer.pass(at: now - 400 * day))), outcome: "attached",
                    reason: "ended_before_attached"),
            ]
            return items
        }

        @Test func `the list may stand bare or be empty, and may not be too long or anything else`() async throws {
            let server = try await EndToEndServer.shared
            let jws = try server.sign(EndToEndServer.pass(at: now - day))
            let bare = try await server.send(
                "POST", EndToEndServer.restorePath, Array("[\(quoted(jws))]".utf8), as: "bare")
            #expect(bare.integer("summary.attached") == 1)
            let copies = try await server.restore(Array(repeating: quoted(jws), count: 500), as: "bare")
            #expect(copies.integer("summary.duplicates") == 499)
            #expect(copies.integer("summary.already_attached") == 1)
            let empty = try await server.restore([], as: "bare")
            #expect(empty.status == 200 && empty.count("results") == 0, "\(empty.text)")
            #expect(try await server.restore(Array(repeating: "1", count: 501), as: "bare").status == 400)
            #expect(try await server.begin(EndToEndServer.restorePath, bytes: (4 << 20) + 1, as: "bare") == 413)
        }

        /// One character of the signature changed.
        static func tampered(_ jws: String) -> String {
            var bytes = Array(jws.utf8)
            let place = bytes.count - 40
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            return String(decoding: bytes, as: UTF8.self)
        }

        private func quoted(_ text: String) -> String { SimulatedPayload.quoted(text) }
    }
}
