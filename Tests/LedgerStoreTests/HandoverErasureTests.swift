import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What an erased person gave away names them no longer, and whoever has it now notices nothing (`semantics.md` §5).
@Suite struct HandoverErasureTests {
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
            try await shop.transfer(.one(ExternalID("2")), from: ben, to: cleo)
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
