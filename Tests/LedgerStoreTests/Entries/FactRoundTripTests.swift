import Entitlements
import MariaDB
import Support
import Testing

@testable import LedgerStore

/// Every fact comes back from its row as it went in, and SQL can read its fields.
@Suite struct FactRoundTripTests {
    private let anna = Sample.user("anna")

    private static let lot = PurchaseKey(
        source: .appleIAP, app: Sample.app, environment: .sandbox, externalID: ExternalID("lot \"1\""))
    private static let purse = Purse(unit: "coin", environment: .sandbox)
    private static let draws = [Draw(lot: lot, amount: 7), Draw(lot: Grant.key(ExternalID("g")), amount: 3)]

    private static func device(_ deed: DeviceAct.Deed) -> Fact {
        .device(DeviceAct(Label("phone\\1"), deed))
    }

    static let facts: [Fact] = [
        .credit(
            .spent(
                Spend(
                    idempotencyKey: Label("k\"1\"\\"), request: Label("r1"), purse: purse, amount: 10, draws: draws,
                    spendableAfter: 7))),
        .credit(
            .reserved(
                Reservation(
                    id: ReservationID("r1"), idempotencyKey: Label("k2"), request: Label("r2"), purse: purse,
                    amount: 10,
                    expiresAt: Sample.epoch + 5, draws: draws))),
        .credit(.committed(ReservationID("r1"), amount: 0)), .credit(.released(ReservationID("r1"))),
        device(.registered(name: Label("Annas Händy 📱\n\u{1}"), isPinned: true)),
        device(.registered(name: nil, isPinned: false)), device(.suspended), device(.reactivated), device(.seen),
        device(.removed), .sandboxTester(true), .sandboxTester(false), .consumptionConsent(true),
    ]

    @Test func `a fact about no purchase comes back with its note, or without one`() async throws {
        try await TestStore.open { store in
            for note in [nil, Note(actor: nil), Sample.note, Note(actor: "a", reference: "", device: DeviceID("d"))] {
                let user = Sample.user("u\(note.hashValue & 0xffff)")
                let drafts = Self.facts.map { LedgerEntry.Draft($0, at: Sample.epoch, note: note) }
                let recorded = try await store.ledger.record(for: [user]) { _ in
                    Decision<Void, Never>(drafts: [user: drafts], answer: .success(()))
                }
                let stored = try await store.ledger(of: user)
                let words = try await store.instances[0].reader.notes(Set(stored.entries.compactMap(\.note)))
                #expect(stored.entries.map(\.fact) == Self.facts)
                #expect(stored.entries.map(\.recordedAt) == recorded.history.ledger(of: user).entries.map(\.recordedAt))
                #expect(
                    stored.entries.allSatisfy {
                        $0.note.flatMap { words[$0] } == note && $0.effectiveAt == Sample.epoch
                    })
                #expect(words.count == (note == nil ? 0 : Self.facts.count), "each with a salt of its own")
                #expect(stored.entries.map(\.isOwnAct) == drafts.map(\.isOwnAct))
            }
            #expect(try await LedgerChain.faults(in: store.schema) == [])
            let amounts = try await store.schema.rows(
                """
                SELECT SUM(j.amount) FROM ledger_entries l, JSON_TABLE(
                    l.content, '$[5][*]' COLUMNS (lot VARCHAR(255) PATH '$[0][3]', amount BIGINT PATH '$[1]')) j
                WHERE l.kind = 'spent' AND JSON_VALUE(l.content, '$[2]') = 'coin'
                """)
            #expect(amounts == [["40"]])
        }
    }

    @Test func `each gift comes back, its purchase has an owner, and a repeat grants nothing`() async throws {
        try await TestStore.open { store in
            let tier = TierID("pro")
            let drafts: [(String, Grant.Gift)] = [
                ("g1", .pass(tier: tier, length: 5)), ("g2", .window(tier: tier, endsAt: Sample.epoch + 9)),
                ("g3", .addOn(ProductID("x"), app: Sample.app)),
                ("g4", .credits(unit: "coin", amount: 5, expiresAt: nil)),
                ("g5", .credits(unit: "coin", amount: 5, expiresAt: Sample.epoch)),
            ]
            let grants = drafts.map {
                Grant(key: Grant.key(ExternalID($0.0)), gift: $0.1, grantedAt: Sample.epoch + 1)
            }
            for grant in grants {
                _ = try await store.ledger.record(for: [anna], keys: [grant.key]) { [anna] _ in
                    Decision<Void, Never>(
                        drafts: [
                            anna: [
                                .init(.granted(grant), at: grant.grantedAt, note: Sample.note),
                                .init(.bound(grant.key), at: grant.grantedAt),
                                .init(.withdrawn(grant.key), at: grant.grantedAt, note: Sample.note),
                            ]
                        ], answer: .success(()))
                }
            }
            let stored = try await store.ledger(of: anna)
            #expect(
                stored.entries.map(\.fact)
                    == grants.flatMap { [.granted($0), .bound($0.key), .withdrawn($0.key)] })
            #expect(try await store.schema.number("SELECT COUNT(*) FROM purchases WHERE user_id IS NOT NULL") == 5)
            #expect(try await store.grant(.addDays(3, of: tier), as: "g9", to: anna).get().key == Grant.key("g9"))
            let counts = try await store.schema.counts()
            #expect(try await store.grant(.addDays(3, of: tier), as: "g9", to: anna).get().key == Grant.key("g9"))
            #expect(try await store.schema.counts() == counts)
            #expect(try await store.grant(.addDays(0, of: tier), as: "g10", to: anna) == .failure(.daysOutOfRange))
            #expect(try await store.schema.counts() == counts)
            #expect(try await LedgerChain.faults(in: store.schema) == [])
        }
    }

    @Test func `a decision about what it did not name keeps nothing`() async throws {
        try await TestStore.open { store in
            let ben = Sample.user("ben")
            try await store.attach(Sample.pass("1"), to: anna)
            let counts = try await store.schema.counts()
            let key = Sample.pass("1").key
            let decisions: [Decision<Void, Never>] = [
                Decision(drafts: [ben: [.init(.sandboxTester(true), at: Sample.epoch)]], answer: .success(())),
                Decision(
                    moves: [key: Move(to: anna, Handover(cause: .operator, request: Label("r")), at: Sample.epoch)],
                    answer: .success(())),
                Decision(bindings: [key: anna], answer: .success(())),
                Decision(
                    drafts: [
                        anna: [
                            .init(
                                .granted(
                                    Grant(
                                        key: Grant.key("g"), gift: .pass(tier: TierID("pro"), length: 1),
                                        grantedAt: Sample.epoch)), at: Sample.epoch)
                        ]
                    ], answer: .success(())),
            ]
            for decision in decisions {
                let error = await #expect(throws: ServiceFailure.self) {
                    try await store.ledger.record(for: [anna]) { _ in decision }
                }
                #expect(error?.cause == .misuse)
            }
            #expect(try await store.schema.counts() == counts)
        }
    }

    @Test func `only what a field is written as is read`() throws {
        for text in [
            "[]", "null", "\"\"", "[null,\"a\",[\"b\",[]]]", "[\"\\\"\\\\\\u0000\\u001f\"]", "[\"é📱\u{7f}\"]",
        ] {
            #expect(JSONField(json: text)?.json == text)
        }
        for text in [
            "", "[", "]", "[1]", "[true]", "{}", "[ ]", "[] ", "[null,]", "[,null]", "[\"a\"", "\"\\n\"", "\"\\u0041\"",
            "\"\\u001F\"", "\"\n\"", "[[[[[]]]]]", "nulll", "\"\\", "\"\\u00", "[\"a\"\"b\"]",
        ] {
            #expect(JSONField(json: text) == nil, "\(text)")
        }
    }

    @Test func `random fields come back, and no damage to a text is read as another text`() throws {
        var chance = SeededChance("fields")
        for _ in 0..<2_000 {
            let field = Self.field(depth: 0, &chance)
            #expect(JSONField(json: field.json) == field)
            var bytes = Array(field.json.utf8)
            let position = Int.random(in: bytes.indices, using: &chance)
            bytes[position] = UInt8.random(in: 0...127, using: &chance)
            guard let damaged = String(validating: bytes, as: UTF8.self) else { continue }
            if let read = JSONField(json: damaged) { #expect(read.json == damaged) }
        }
    }

    private static func field(depth: Int, _ chance: inout SeededChance) -> JSONField {
        switch Int.random(in: 0..<(depth < 3 ? 3 : 2), using: &chance) {
        case 0: return .null
        case 1:
            let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "\0", "\u{1f}", "é", "📱", "[", ",", "\u{301}"]
            let count = Int.random(in: 0..<5, using: &chance)
            return .text(
                String(String.UnicodeScalarView((0..<count).compactMap { _ in scalars.randomElement(using: &chance) })))
        default:
            return .list((0..<Int.random(in: 0..<4, using: &chance)).map { _ in field(depth: depth + 1, &chance) })
        }
    }
}

extension Grant {
    fileprivate static func key(_ id: String) -> PurchaseKey { key(ExternalID(id)) }
}
