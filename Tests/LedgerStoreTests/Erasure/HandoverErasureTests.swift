import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What an erased person gave away names them no longer, and whoever has it now notices nothing (`semantics.md` §5).
@Suite(.serialized) struct HandoverErasureTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private let cleo = Sample.user("cleo")
    private let dora = Sample.user("dora")

    @Test func `the texts of all that they had go, and whoever has it now notices nothing`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 30), to: anna, text: "of.hers")
            try await store.attach(Sample.pass("1", day: 30, signedDay: 31), to: anna, text: "of.a repeat")
            try await store.attach(Sample.pass("2", day: 31), to: anna, text: "of.the second")
            try await store.attach(Sample.pass("3", day: 32), to: ben, text: "of.bens")
            try await store.transfer(.all, from: anna, to: ben)
            try await store.transfer(.one(PurchaseName(ExternalID("2"))), from: ben, to: cleo)
            let before = try await [store.status(of: ben), store.status(of: cleo)]
            let ledgers = try await [store.ledger(of: ben), store.ledger(of: cleo)]
            let dumps = try await store.dumps()

            try await store.erase(anna)
            #expect(try await store.texts == [["of.bens"]])
            #expect(try await [store.status(of: ben), store.status(of: cleo)] == before)
            #expect(try await [store.ledger(of: ben), store.ledger(of: cleo)] == ledgers)
            for table in ["ledger_entries", "apple_iap_transactions", "purchases", "subscriptions"] {
                #expect(try await store.schema.dump(table) == dumps[table], "\(table)")
            }
            try await store.expectWhole()
            #expect(try await store.attach(Sample.pass("1", day: 30), to: cleo) == .failure(.ownedByAnotherUser))
            #expect(try await store.attach(Sample.pass("1", day: 30), to: ben) == .success(.alreadyTheirs))
        }
    }

    @Test func `what arrives later of it lands at both, and its text is not kept`() async throws {
        try await TestStore.open(instances: 2) { store in
            let token = try await store.instances[0].tokens.token(of: anna)
            let pass = Sample.pass("1", day: 30, token: token, account: "apple 1")
            try await store.attach(pass, to: anna)
            try await store.transfer(.all, from: anna, to: ben)
            let erased = try await store.erase(anna)
            let refund = Sample.pass("1", day: 30, token: token, account: "apple 1", signedDay: 41, revokedDay: 41)
            for state in [pass, refund] {
                #expect(try await store.attach(state, to: ben, via: 1) == .success(.alreadyTheirs))
            }
            for user in [erased, ben] {
                #expect(try await store.ledger(of: user).entries.last?.fact == .stated(.purchase(refund)))
            }
            #expect(try await store.schema.counts()["signed_texts"] == 0)
            let counts = try await store.schema.counts()
            try await store.attach(refund, to: ben)
            #expect(try await store.schema.counts() == counts)
            try await store.expectWhole()
        }
    }

    @Test func `no operator's word moves what is left after the erasure`() async throws {
        try await TestStore.open { store in
            let key = Sample.pass("1").key
            try await store.attach(Sample.pass("1", day: 30, account: "apple 1"), to: anna)
            let erased = try await store.erase(anna)
            let before = try await store.schema.dump()
            let bound = try await store.ledger.record(for: [ben], keys: [key]) { [ben] history, _ in
                OperatorAct(on: ben, note: Note(actor: "support", reason: "his own")).bind(key, given: history)
            }
            #expect(bound.answer == .failure(.ownerErased))
            // The row of the owner is written by whoever locks it.
            let after = try await store.schema.dump().filter { $0.key != "users" }
            #expect(after.filter { before[$0.key] != $0.value } == [:])
            #expect(try await store.ledger(of: erased).entries.last?.fact.kindText == "bound")
            try await store.expectWhole()
        }
    }

    @Test func `what operators said of the person goes from everybody's ledger, and what they said of others stays`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await store.grant(.addDays(9, of: TierID("pro")), as: "g", to: anna, note: said("given to anna"))
            try await store.attach(Sample.pass("1", day: 30), to: anna)
            try await store.attach(Sample.pass("2", day: 31), to: anna)
            try await take(Sample.pass("2").key, from: anna, note: said("taken from anna"), in: store)
            try await store.transfer(.all, from: anna, to: ben, note: said("anna to ben"))
            try await store.transfer(.all, from: ben, to: cleo, note: said("ben to cleo"))
            try await store.transfer(
                .one(PurchaseName(ExternalID("1"))), from: cleo, to: ben, note: said("cleo to ben"))
            try await take(Grant.key(ExternalID("g")), from: cleo, note: said("taken from cleo"), in: store)
            try await store.grant(.addDays(5, of: TierID("pro")), as: "h", to: ben, note: said("given to ben"))
            #expect(
                try await notes(in: store) == [
                    "anna to ben": 6, "ben to cleo": 6, "cleo to ben": 2, "given to anna": 3, "given to ben": 1,
                    "taken from anna": 3, "taken from cleo": 1,
                ])
            let before = try await [store.status(of: ben), store.status(of: cleo)]
            for instance in store.instances {
                for user in [ben, cleo] { _ = try await instance.reader.ledger(of: user) }
            }

            try await store.erase(anna)
            let left = ["ben to cleo": 6, "cleo to ben": 2, "given to ben": 1, "taken from cleo": 1]
            #expect(try await notes(in: store) == left)
            #expect(try await store.schema.counts()["notes"] == 3 + 1 + 1 + 1, "a handover's words stand once for both")
            for instance in store.instances {
                for user in [ben, cleo] {
                    let digests = try await instance.reader.ledger(of: user).entries.compactMap(\.note)
                    let reasons = try await instance.reader.notes(Set(digests)).values.compactMap(\.reason)
                    #expect(reasons.allSatisfy { left[$0] != nil } && !reasons.isEmpty)
                }
            }
            #expect(try await [store.status(of: ben), store.status(of: cleo)] == before)
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
            // Nothing cached brings it back.
            try await store.transfer(.all, from: cleo, to: ben, note: said("cleo to ben"), via: 1)
            #expect(try await notes(in: store).keys.sorted() == left.keys.sorted())
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `of somebody in between goes what was said while they had it, and both halves of their handovers`()
        async throws
    {
        try await TestStore.open { store in
            try await store.grant(.addDays(9, of: TierID("pro")), as: "g", to: anna, note: said("given to anna"))
            try await store.transfer(.all, from: anna, to: ben, note: said("anna to ben"))
            try await take(Grant.key(ExternalID("g")), from: ben, note: said("taken from ben"), in: store)
            try await store.transfer(.all, from: ben, to: cleo, note: said("ben to cleo"))
            try await store.erase(ben)
            #expect(try await notes(in: store) == ["given to anna": 3])
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
            #expect(try await store.ledger(of: cleo).entries.count == 3)
        }
    }

    @Test func `a note that is missing for no such reason is still found`() async throws {
        try await TestStore.open { store in
            try await store.grant(.addDays(9, of: TierID("pro")), as: "g", to: anna)
            try await store.grant(.addDays(9, of: TierID("pro")), as: "h", to: ben)
            try await store.transfer(.one(PurchaseName(ExternalID("g"))), from: anna, to: ben)
            try await store.erase(anna)
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
            try await store.schema.rows("DELETE FROM notes")
            let faults = try await LedgerCheck(pool: store.pool).faults()
            #expect(faults.map(\.user) == [ben] && faults.map(\.defect) == [.noteEdited(sequence: 1)])
        }
    }

    @Test func `missing words about a handover of the living are found, though a former holder is erased`()
        async throws
    {
        try await TestStore.open { store in
            try await store.grant(.addDays(9, of: TierID("pro")), as: "g", to: anna, note: said("given to anna"))
            _ = try await store.transfer(.all, from: anna, to: ben, note: said("anna to ben"))
            _ = try await store.transfer(.all, from: ben, to: cleo, note: said("ben to cleo"))
            _ = try await store.transfer(.all, from: cleo, to: dora, note: said("cleo to dora"))
            try await store.erase(ben)
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
            try await store.schema.rows("DELETE FROM notes WHERE content LIKE '%cleo to dora%'")
            #expect(try await LedgerCheck(pool: store.pool).faults().map(\.user) == [cleo, dora])
        }
    }

    @Test func `a purchase that goes on while its former owner is erased takes no note along`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(10, soak: 400) {
                let (user, note) = (Sample.user("r\(round)"), said("of \(round)"))
                try await store.grant(.addDays(9, of: TierID("pro")), as: "g\(round)", to: user, note: note)
                try await store.transfer(.all, from: user, to: ben, note: note)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await store.erase(user) }
                    group.addTask { try await store.transfer(.all, from: ben, to: cleo, note: said("on"), via: 1) }
                    try await group.waitForAll()
                }
                #expect(try await notes(in: store).keys.sorted() == ["on"])
            }
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    private func said(_ reason: String) -> Note { Note(actor: "support", reason: reason) }

    private func take(_ key: PurchaseKey, from user: UserID, note: Note, in store: TestStore) async throws {
        let taken = try await store.ledger.record(for: [user], keys: [key]) {
            OperatorAct(on: user, note: note).withdraw(key, given: $0, in: $1)
        }
        _ = try taken.answer.get()
    }

    /// How many entries say each reason.
    private func notes(in store: TestStore) async throws -> [String: Int] {
        let rows = try await store.schema.rows(
            """
            SELECT JSON_VALUE(n.content, '$[1]') FROM ledger_entries l JOIN notes n ON n.digest = l.note_digest
            """)
        return rows.reduce(into: [:]) { counts, row in
            if case .text(let reason) = row[0] { counts[reason, default: 0] += 1 }
        }
    }
}
