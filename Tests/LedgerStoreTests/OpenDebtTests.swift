import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What an erased person owes stands in `open_debts` until somebody living shows a purchase of the Apple account
/// (`semantics.md` §5).
@Suite(.serialized) struct OpenDebtTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")
    private let account = Belongings.account
    private static let refund = Belongings.refundOfCoins

    /// Anna's row, who is the first of all.
    private static func debt(_ units: Int, of user: Int = 1) -> String {
        "\(Books.label(of: Belongings.account)) com.airport.vpn Production coin \(units) \(user)"
    }

    @Test func `what is owed follows to whoever has another purchase of the Apple account, once`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            try await shop.attach(Self.refund, to: anna)
            #expect(try await shop.coins(of: anna) == [0, 40])
            #expect(try await shop.openDebts() == [], "the living owe by themselves")
            let erased = try await shop.erase(anna)
            // Of the 40 only what was spent: nobody can commit what she reserved.
            #expect(try await shop.openDebts() == [Self.debt(30)])
            for (number, account) in [("60001", nil), ("60002", "70002")] as [(String, String?)] {
                let attached = try await shop.attach(Belongings.another(number, of: account), to: ben)
                #expect(attached == .success(.unowned))
            }
            #expect(try await [shop.coins(of: ben), shop.coins(of: erased)] == [[0, 0], [0, 40]])

            #expect(try await shop.attach(Belongings.another("30003"), to: cleo, via: 1) == .success(.unowned))
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 30], [0, 0]])
            let debt = Debt(of: Books.label(of: account), in: Books.app, .production, 30, unit: "coin")
            #expect(try await shop.ledger(of: erased).entries.last?.fact == .debtPassedOn(debt))
            #expect(try await shop.ledger(of: cleo).entries.last?.fact == .debtTakenOver(debt))
            #expect(try await shop.openDebts() == [])
            try await shop.expectWhole()
            let counts = try await shop.schema.counts()
            #expect(try await shop.restore([Belongings.another("30003")], to: cleo) == [.claimed(.alreadyTheirs)])
            #expect(try await shop.schema.counts() == counts)
            #expect(try await shop.attach(Belongings.another("60004"), to: ben, via: 1) == .success(.unowned))
            #expect(try await shop.coins(of: ben) == [0, 0])

            // The rest comes with the proof, and what the reversal gives back repays as far as it is hers.
            let rest = try await shop.restore(Belongings.sales, to: cleo, proof: account)
            #expect(rest.allSatisfy { if case .claimed = $0 { true } else { $0 == .duplicateInRequest } })
            try await shop.attach(Belongings.reversalOfCoins, to: ben)
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[40, 0], [30, 0]])
            try await shop.expectWhole()
            for user in [cleo, ben] { try await shop.erase(user) }
            try await shop.expectWhole()
        }
    }

    @Test func `a refund that comes after the erasure is owed by whoever shows the Apple account next`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            try await shop.erase(anna)
            try await shop.restore([Belongings.another("30003")], to: cleo)
            #expect(try await shop.openDebts() == [])
            try await shop.attach(Self.refund, to: ben)
            #expect(try await shop.openDebts() == [Self.debt(30)])
            #expect(try await shop.coins(of: cleo) == [0, 0])
            try await shop.expectWhole()
            try await shop.restore([Belongings.another("30003")], to: cleo, via: 1)
            #expect(try await shop.coins(of: cleo) == [0, 30])
            #expect(try await shop.openDebts() == [])
            try await shop.expectWhole()
        }
    }

    @Test func `a refund that is dated by a clock ahead of ours is noted, and owed once it holds`() async throws {
        try await Shop.open { shop in
            let refundedAt = Books.opening + 41 * Instant.millisecondsPerDay
            try await Belongings.fill(shop, anna)
            try await shop.erase(anna)
            shop.clock.now = refundedAt + -120_000
            try await shop.attach(
                Books.sale(
                    "20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 41, revokedDay: 41),
                to: ben)
            #expect(try await shop.openDebts() == [Self.debt(30)])
            try await shop.expectWhole()
            shop.clock.now = refundedAt + 60_000
            try await shop.attach(Belongings.another("30003"), to: cleo)
            #expect(try await shop.coins(of: cleo) == [0, 30])
            #expect(try await shop.openDebts() == [])
            try await shop.expectWhole()
        }
    }

    @Test func `what a reversal forgives is noted no more`() async throws {
        try await Shop.open { shop in
            try await Belongings.fill(shop, anna)
            try await shop.attach(Self.refund, to: anna)
            try await shop.erase(anna)
            #expect(try await shop.openDebts() == [Self.debt(30)])
            try await shop.attach(Belongings.reversalOfCoins, to: ben)
            #expect(try await shop.openDebts() == [])
            try await shop.attach(Belongings.another("30003"), to: cleo)
            #expect(try await shop.coins(of: cleo) == [0, 0])
            try await shop.expectWhole()
        }
    }

    @Test func `what the catalogue of another instance makes of it counts at the erasure`() async throws {
        try await Shop.open(instances: 2) { shop in
            let gems = { (signed: Int?, revoked: Int?) in
                Books.sale(
                    "20007", of: "gems.new", .consumable, day: 31, account: Belongings.account, signedDay: signed,
                    revokedDay: revoked)
            }
            try await shop.attach(gems(nil, nil), to: anna)
            _ = try await CatalogueShelf.apply("more", to: shop.pool, at: shop.clock.now, isSame: { $0 == "more" })
            _ = try await shop.instances[1].reader.ledger(of: anna)
            _ = try await shop.spend(40, of: anna, under: "order-1", via: 1).get()
            try await shop.attach(gems(39, 39), to: anna, via: 1)
            try await shop.erase(anna)
            #expect(try await shop.openDebts() == [Self.debt(40)])
            try await shop.expectWhole()
        }
    }

    @Test func `a damaged projection is rebuilt to the same bytes`() async throws {
        try await Shop.open { shop in
            for user in [anna, ben] {
                let number = user == anna ? "1" : "2"
                let coins = { (signed: Int?, revoked: Int?) in
                    Books.sale(
                        "2000" + number, of: "coins.100", .consumable, day: 31, account: "7000" + number,
                        signedDay: signed, revokedDay: revoked)
                }
                try await shop.attach(coins(nil, nil), to: user)
                _ = try await shop.spend(40, of: user, under: "order").get()
                try await shop.attach(coins(39, 39), to: user)
                try await shop.erase(user)
            }
            let before = try await shop.schema.dump("open_debts")
            #expect(before.count == 2)
            for damage in [
                "DELETE FROM open_debts", "UPDATE open_debts SET units = 7",
                "INSERT INTO open_debts SELECT 'x', app, environment, unit, user_id, 5 FROM open_debts",
            ] {
                try await shop.schema.rows(damage)
                try await Projection(pool: shop.pool, settings: Books.settings)
                    .rebuild(given: shop.instances[0].shelf.snapshot)
                #expect(try await shop.schema.dump("open_debts") == before, "\(damage)")
            }
        }
    }

    @Test func `what is owed for coins that somebody living had before follows too`() async throws {
        try await Shop.open { shop in
            try await Belongings.fill(shop, anna)
            _ = try await shop.transfer(.one(PurchaseName(ExternalID("20003"))), from: anna, to: ben).get()
            _ = try await shop.spend(50, of: ben, under: "order-9").get()
            try await shop.attach(Self.refund, to: ben)
            let erased = try await shop.erase(ben)
            try await shop.attach(Belongings.another("30003"), to: cleo)
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 50], [0, 0]])
            #expect(try await shop.coins(of: anna) == [0, 40])
            try await shop.expectWhole()
        }
    }

    @Test
    func `what is owed for coins whose rest somebody living has follows, and the reversal stays where the coins are`()
        async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            _ = try await shop.transfer(.one(PurchaseName(ExternalID("20003"))), from: anna, to: ben).get()
            try await shop.attach(Self.refund, to: ben)
            let erased = try await shop.erase(anna)
            try await shop.attach(Belongings.another("30003"), to: cleo, via: 1)
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 30], [0, 0]])
            #expect(try await shop.coins(of: ben) == [0, 0])
            try await shop.expectWhole()
            let reversal = Belongings.reversalOfCoins
            try await withThrowingTaskGroup(of: Void.self) { group in
                for instance in [0, 1] {
                    group.addTask { try await shop.attach(reversal, to: ben, via: instance) }
                    group.addTask {
                        try await shop.attach(
                            Belongings.another("30003"), to: cleo, via: instance)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await [shop.coins(of: cleo), shop.coins(of: ben)] == [[0, 30], [60, 0]])
            #expect(try await shop.coins(of: erased) == [40, 0])
            for user in [cleo, ben] { try await shop.erase(user) }
            try await shop.expectWhole()
        }
    }

    @Test func `what somebody owes who has nothing of the Apple account any more follows it`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Belongings.sales[2], to: anna)
            _ = try await shop.spend(40, of: anna, under: "order-1").get()
            _ = try await shop.transfer(.all, from: anna, to: ben).get()
            try await shop.attach(Self.refund, to: ben)
            let erased = try await shop.erase(anna)
            try await shop.attach(Belongings.another("30003"), to: cleo)
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 40], [0, 0]])
            try await shop.expectWhole()
        }
    }

    @Test func `of those who show the Apple account at once one owes it`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(8, soak: 200) {
                let (user, account) = (Books.user("r\(round)"), "7000\(round)")
                let coins = Books.sale("2000\(round)", of: "coins.100", .consumable, day: 31, account: account)
                let refund = Books.sale(
                    "2000\(round)", of: "coins.100", .consumable, day: 31, account: account, signedDay: 39,
                    revokedDay: 39)
                try await shop.attach(coins, to: user)
                _ = try await shop.spend(40, of: user, under: "order").get()
                let erased = try await shop.erase(user)
                let racers = (0..<6).map { Books.user("c\(round)-\($0)") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await shop.attach(refund, to: ben, via: round % 2) }
                    for (number, racer) in racers.enumerated() {
                        group.addTask {
                            let pass = Books.pass("3\(round)\(number)", day: 33, account: account)
                            for instance in 0..<4 {
                                try await shop.attach(pass, to: racer, via: (instance + number) % 2)
                            }
                            if number == round { try await shop.erase(racer) }
                        }
                    }
                    try await group.waitForAll()
                }
                for racer in racers {
                    let pass = Books.pass("4\(round)" + racer.text.suffix(1), day: 34, account: account)
                    try await shop.attach(pass, to: racer)
                }
                var owed: [[Int]] = []
                for user in racers + [erased] { owed.append(try await shop.coins(of: user)) }
                #expect(owed.filter { $0 == [0, 40] }.count == 1 && owed.filter { $0 == [0, 0] }.count == 6)
            }
            try await shop.expectWhole()
        }
    }
}
