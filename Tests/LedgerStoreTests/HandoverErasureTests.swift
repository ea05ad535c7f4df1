import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What an erased person gave away names them no longer, and whoever has it now notices nothing (`semantics.md` §5).
@Suite(.serialized) struct HandoverErasureTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")

    @Test func `the token and the texts that hold it leave what others have now, and nothing else does`() async throws {
        try await Shop.open { shop in
            let token = try await shop.instances[0].tokens.token(of: anna)
            let bens = try await shop.instances[0].tokens.token(of: ben)
            try await shop.attach(Books.pass("1", day: 30, token: token), to: anna, text: "holds annas")
            try await shop.attach(Books.pass("1", day: 30, signedDay: 31), to: anna, text: "holds none")
            try await shop.attach(Books.pass("2", day: 31), to: anna, text: "second holds none")
            try await shop.attach(Books.pass("3", day: 32, token: bens), to: ben, text: "holds bens")
            try await shop.transfer(.all, from: anna, to: ben)
            try await shop.transfer(.one(PurchaseName(ExternalID("2"))), from: ben, to: cleo)
            let before = try await [status(of: ben, in: shop), status(of: cleo, in: shop)]
            let projection = try await shop.schema.dump("subscriptions")

            _ = try await erase(anna, in: shop)
            let states = "\(try await shop.schema.dump("apple_iap_transactions"))"
            #expect(!states.contains("\(token.bytes)") && states.contains("\(bens.bytes)"))
            #expect(try await shop.texts.flatMap(\.self) == ["holds none", "second holds none", "holds bens"])
            #expect(try await [status(of: ben, in: shop), status(of: cleo, in: shop)] == before)
            #expect(try await shop.schema.dump("subscriptions") == projection)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
            #expect(try await shop.attach(Books.pass("1", day: 30), to: cleo) == .failure(.ownedByAnotherUser))
            #expect(try await shop.attach(Books.pass("1", day: 30), to: ben) == .success(.alreadyTheirs))
        }
    }

    @Test func `what arrives later of it lands and brings the token not back`() async throws {
        try await Shop.open(instances: 2) { shop in
            let token = try await shop.instances[0].tokens.token(of: anna)
            let pass = Books.pass("1", day: 30, token: token, account: "apple 1")
            try await shop.attach(pass, to: anna)
            try await shop.transfer(.all, from: anna, to: ben)
            let erased = try #require(try await erase(anna, in: shop))
            let refund = Books.pass("1", day: 30, token: token, account: "apple 1", signedDay: 41, revokedDay: 41)
            for state in [pass, refund] {
                #expect(try await shop.attach(state, to: ben, via: 1) == .success(.alreadyTheirs))
            }
            for user in [erased, ben] {
                let last = try await shop.ledger(of: user).entries.last?.fact.state
                #expect(last?.revocation == refund.revocation && last?.accountToken == nil)
            }
            let bens = try await shop.ledger(of: ben).entries.last?.fact.state
            #expect(bens?.appTransactionID == refund.appTransactionID)
            #expect(try await shop.schema.counts()["signed_texts"] == 0)
            let states = "\(try await shop.schema.dump("apple_iap_transactions"))"
            #expect(!states.contains("\(token.bytes)"))
            let counts = try await shop.schema.counts()
            try await shop.attach(refund, to: ben)
            #expect(try await shop.schema.counts() == counts)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `what operators said of the person goes from everybody's ledger, and what they said of others stays`()
        async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await shop.grant(.addDays(9, of: TierID("pro")), as: "g", to: anna, note: said("given to anna"))
            try await shop.attach(Books.pass("1", day: 30), to: anna)
            try await shop.attach(Books.pass("2", day: 31), to: anna)
            try await take(Books.pass("2").key, from: anna, note: said("taken from anna"), in: shop)
            try await shop.transfer(.all, from: anna, to: ben, note: said("anna to ben"))
            try await shop.transfer(.all, from: ben, to: cleo, note: said("ben to cleo"))
            try await shop.transfer(.one(PurchaseName(ExternalID("1"))), from: cleo, to: ben, note: said("cleo to ben"))
            try await take(Grant.key(ExternalID("g")), from: cleo, note: said("taken from cleo"), in: shop)
            try await shop.grant(.addDays(5, of: TierID("pro")), as: "h", to: ben, note: said("given to ben"))
            #expect(
                try await notes(in: shop) == [
                    "anna to ben": 6, "ben to cleo": 6, "cleo to ben": 2, "given to anna": 3, "given to ben": 1,
                    "taken from anna": 3, "taken from cleo": 1,
                ])
            let before = try await [status(of: ben, in: shop), status(of: cleo, in: shop)]
            for instance in shop.instances {
                for user in [ben, cleo] { _ = try await instance.reader.ledger(of: user) }
            }

            _ = try await erase(anna, in: shop)
            let left = ["ben to cleo": 6, "cleo to ben": 2, "given to ben": 1, "taken from cleo": 1]
            #expect(try await notes(in: shop) == left)
            for instance in shop.instances {
                for user in [ben, cleo] {
                    let reasons = try await instance.reader.ledger(of: user).entries.compactMap(\.note?.reason)
                    #expect(reasons.allSatisfy { left[$0] != nil } && !reasons.isEmpty)
                }
            }
            #expect(try await [status(of: ben, in: shop), status(of: cleo, in: shop)] == before)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
            // Nothing at hand brings it back.
            try await shop.transfer(.all, from: cleo, to: ben, note: said("cleo to ben"), via: 1)
            #expect(try await notes(in: shop).keys.sorted() == left.keys.sorted())
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `of somebody in between goes what was said while they had it, and both halves of their handovers`()
        async throws
    {
        try await Shop.open { shop in
            try await shop.grant(.addDays(9, of: TierID("pro")), as: "g", to: anna, note: said("given to anna"))
            try await shop.transfer(.all, from: anna, to: ben, note: said("anna to ben"))
            try await take(Grant.key(ExternalID("g")), from: ben, note: said("taken from ben"), in: shop)
            try await shop.transfer(.all, from: ben, to: cleo, note: said("ben to cleo"))
            _ = try await erase(ben, in: shop)
            #expect(try await notes(in: shop) == ["given to anna": 2])
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
            #expect(try await shop.ledger(of: cleo).entries.count == 3)
        }
    }

    @Test func `a note that is missing for no such reason is still found`() async throws {
        try await Shop.open { shop in
            try await shop.grant(.addDays(9, of: TierID("pro")), as: "g", to: anna)
            try await shop.grant(.addDays(9, of: TierID("pro")), as: "h", to: ben)
            try await shop.transfer(.one(PurchaseName(ExternalID("g"))), from: anna, to: ben)
            _ = try await erase(anna, in: shop)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
            try await shop.schema.rows("UPDATE ledger_entries SET note = NULL, note_salt = NULL")
            let faults = try await LedgerAudit(pool: shop.pool).faults()
            #expect(faults.map(\.user) == [ben] && faults.map(\.defect) == [.noteEdited(sequence: 1)])
        }
    }

    @Test func `a purchase that goes on while its former owner is erased takes no note along`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(10, soak: 400) {
                let (user, note) = (Books.user("r\(round)"), said("of \(round)"))
                try await shop.grant(.addDays(9, of: TierID("pro")), as: "g\(round)", to: user, note: note)
                try await shop.transfer(.all, from: user, to: ben, note: note)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await erase(user, in: shop) }
                    group.addTask { try await shop.transfer(.all, from: ben, to: cleo, note: said("on"), via: 1) }
                    try await group.waitForAll()
                }
                #expect(try await notes(in: shop).keys.sorted() == ["on"])
            }
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    private func said(_ reason: String) -> Note { Note(actor: "support", reason: reason) }

    private func take(_ key: PurchaseKey, from user: UserID, note: Note, in shop: Shop) async throws {
        let taken = try await shop.ledger.record(for: [user], keys: [key]) {
            RevokePurchase(key, of: user, note: note, in: Shop.fold($1)).decide(given: $0)
        }
        _ = try taken.answer.get()
    }

    /// How many entries say each reason.
    private func notes(in shop: Shop) async throws -> [String: Int] {
        let rows = try await shop.schema.rows(
            "SELECT JSON_VALUE(note, '$[1]') FROM ledger_entries WHERE note IS NOT NULL OR note_salt IS NOT NULL")
        return rows.reduce(into: [:]) { counts, row in
            if case .text(let reason) = row[0] { counts[reason, default: 0] += 1 }
        }
    }

    /// As the tables have it.
    private func status(of user: UserID, in shop: Shop) async throws -> Status {
        Timeline(
            folding: try await shop.ledger(of: user), given: shop.instances[0].shelf.snapshot, settings: Books.settings
        ).status(at: shop.clock.now)
    }

    private func erase(_ user: UserID, in shop: Shop) async throws -> UserID? {
        try await Desk(shop).erasure(at: shop.clock.now).erase(user, by: .commandLine, reason: "asked")
    }
}
