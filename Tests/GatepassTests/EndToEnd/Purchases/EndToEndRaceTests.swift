import AppStore
import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Many users at once, over HTTP.
    @Suite struct Racing {
        @Test func `of 64 users who race for one purchase one wins`() async throws {
            let server = try await EndToEndServer.shared
            var winners: Set<String> = []
            for round in 0..<TestRun.rounds(20, soak: 500) {
                let pass = EndToEndServer.pass(at: now - day)
                let jws = try server.sign(pass)
                let answers = try await withThrowingTaskGroup(of: (String, EndToEndAnswer).self) { group in
                    for racer in 0..<64 {
                        let user = "racer\((racer + round) % 64)"
                        group.addTask { (user, try await server.attach(jws, as: user)) }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                let won = answers.filter { $0.value.status == 200 }
                #expect(won.count == 1)
                #expect(answers.values.count { $0.string("code") == "owned_by_another_user" } == 63)
                let owners = try await server.schema.rows(
                    """
                    SELECT u.user_id FROM purchases p JOIN users u ON u.pseudonym = p.user_id WHERE p.external_id = ?
                    """, [.text(pass.transactionId)])
                #expect(owners == won.keys.map { [.text($0)] })
                winners.formUnion(won.keys)
            }
            #expect(winners.count > 1)
            try await expectOnceEach(server.schema)
        }

        @Test func `eight users who restore the same items in any order meet no fault`() async throws {
            let server = try await EndToEndServer.shared
            for round in 0..<TestRun.rounds(5, soak: 200) {
                var chance = SeededChance("end to end restores \(round)")
                let items = try (0..<50).map { _ in
                    SimulatedPayload.quoted(try server.sign(EndToEndServer.pass(at: now - day)))
                }
                let orders = (0..<8).map { _ in items.shuffled(using: &chance) }
                let attached = try await withThrowingTaskGroup(of: Int64.self) { group in
                    for (racer, order) in orders.enumerated() {
                        group.addTask {
                            let answer = try await server.restore(order, as: "restores\(racer)")
                            #expect(answer.status == 200)
                            let (won, lost) = (answer.integer("summary.attached"), answer.integer("summary.refused"))
                            #expect((won ?? 0) + (lost ?? 0) == 50)
                            return won ?? 0
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 }
                }
                #expect(attached == 50)
            }
            try await expectOnceEach(server.schema)
        }
    }

    /// What holds of the tables after any load: one owner, each state that is no repeat once in its owner's ledger,
    /// chains unbroken in time.
    static func expectOnceEach(_ schema: TestSchema) async throws {
        let violations = [
            """
            SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
            LEFT JOIN (
                SELECT user_id, state_id, COUNT(*) n FROM ledger_entries GROUP BY user_id, state_id
            ) l ON l.state_id = t.id AND l.user_id = p.user_id
            WHERE NOT (t.user_id <=> p.user_id)
                OR p.user_id IS NOT NULL AND COALESCE(l.n, 0) NOT BETWEEN \(TestSchema.isNoRepeat) AND 1
            """,
            """
            SELECT COUNT(*) FROM ledger_entries l JOIN purchases p ON p.id = l.purchase_id
            WHERE l.user_id <> p.user_id
            """,
            """
            SELECT COUNT(*) FROM purchases p LEFT JOIN (
                SELECT user_id, purchase_id, COUNT(*) n FROM ledger_entries WHERE kind = 'bound'
                GROUP BY user_id, purchase_id
            ) l ON l.purchase_id = p.id AND l.user_id = p.user_id
            WHERE p.user_id IS NOT NULL AND NOT (l.n <=> 1)
            """,
            """
            SELECT COUNT(*) FROM users u WHERE u.ledger_length <>
                (SELECT COUNT(*) FROM ledger_entries l WHERE l.user_id = u.pseudonym)
            """,
            """
            SELECT COUNT(*) FROM apple_iap_transactions t LEFT JOIN purchases p ON p.id = t.purchase_id
            WHERE p.id IS NULL
            """,
            """
            SELECT COUNT(*) FROM apple_iap_transactions t
            LEFT JOIN signed_texts s ON s.state_id = COALESCE(t.text_of, t.id)
            WHERE s.state_id IS NULL
            """,
        ]
        for violation in violations { #expect(try await schema.number(violation) == 0, "\(violation)") }
        #expect(try await schema.counts()["purchases"] ?? 0 > 0)
    }
}
