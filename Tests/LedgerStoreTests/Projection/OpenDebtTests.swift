import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What an erased person owes stands in `open_debts` until somebody living shows a purchase of the Apple account
/// (`semantics.md` §5).
@Suite(.serialized) struct OpenDebtTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private let cleo = Sample.user("cleo")
    private let account = Belongings.account
    private static let refund = Belongings.refundOfCoins

    /// Anna's row, who is the first of all.
    private static func debt(_ units: Int, of user: Int = 1) -> String {
        "\(Sample.label(of: Belongings.account)) com.airport.vpn Production coin \(units) \(user)"
    }

    @Test func `what is owed follows to whoever has another purchase of the Apple account, once`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            try await store.attach(Self.refund, to: anna)
            #expect(try await store.coins(of: anna) == [0, 40])
            #expect(try await store.openDebts() == [], "the living owe by themselves")
            let erased = try await store.erase(anna)
            // Of the 40 only what was spent: nobody can commit what she reserved.
            #expect(try await store.openDebts() == [Self.debt(30)])
            for (number, account) in [("60001", nil), ("60002", "70002")] as [(String, String?)] {
                let attached = try await store.attach(Belongings.another(number, of: account), to: ben)
                #expect(attached == .success(.unowned))
            }
            #expect(try await [store.coins(of: ben), store.coins(of: erased)] == [[0, 0], [0, 40]])

            #expect(try await store.attach(Belongings.another("30003"), to: cleo, via: 1) == .success(.unowned))
            #expect(try await [store.coins(of: cleo), store.coins(of: erased)] == [[0, 30], [0, 0]])
            let debt = Debt(of: Sample.label(of: account), in: Sample.app, .production, 30, unit: "coin")
            #expect(try await store.ledger(of: erased).entries.last?.fact == .debtPassedOn(debt))
            #expect(try await store.ledger(of: cleo).entries.last?.fact == .debtTakenOver(debt))
            #expect(try await store.openDebts() == [])
            try await store.expectWhole()
            let counts = try await store.schema.counts()
            #expect(try await store.restore([Belongings.another("30003")], to: cleo) == [.claimed(.alreadyTheirs)])
            #expect(try await store.schema.counts() == counts)
            #expect(try await store.attach(Belongings.another("60004"), to: ben, via: 1) == .success(.unowned))
            #expect(try await store.coins(of: ben) == [0, 0])

            // The rest comes with the proof, and what the reversal gives back repays as far as it is hers.
            let rest = try await store.restore(Belongings.sales, to: cleo, proof: account)
            #expect(rest.allSatisfy { if case .claimed = $0 { true } else { $0 == .duplicateInRequest } })
            try await store.attach(Belongings.reversalOfCoins, to: ben)
            #expect(try await [store.coins(of: cleo), store.coins(of: erased)] == [[40, 0], [30, 0]])
            try await store.expectWhole()
            for user in [cleo, ben] { try await store.erase(user) }
            try await store.expectWhole()
        }
    }

    @Test func `a refund that comes after the erasure is owed by whoever shows the Apple account next`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            try await store.erase(anna)
            try await store.restore([Belongings.another("30003")], to: cleo)
            #expect(try await store.openDebts() == [])
            try await store.attach(Self.refund, to: ben)
            #expect(try await store.openDebts() == [Self.debt(30)])
            #expect(try await store.coins(of: cleo) == [0, 0])
            try await store.expectWhole()
            try await store.restore([Belongings.another("30003")], to: cleo, via: 1)
            #expect(try await store.coins(of: cleo) == [0, 30])
            #expect(try await store.openDebts() == [])
            try await store.expectWhole()
        }
    }

    @Test func `a refund that is dated by a clock ahead of ours is noted, and owed once it holds`() async throws {
        try await TestStore.open { store in
            let refundedAt = Sample.epoch + 41 * Instant.millisecondsPerDay
            try await Belongings.fill(store, anna)
            try await store.erase(anna)
            store.clock.now = refundedAt + -120_000
            try await store.attach(
                Sample.sale(
                    "20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 41, revokedDay: 41),
                to: ben)
            #expect(try await store.openDebts() == [Self.debt(30)])
            try await store.expectWhole()
            store.clock.now = refundedAt + 60_000
            try await store.attach(Belongings.another("30003"), to: cleo)
            #expect(try await store.coins(of: cleo) == [0, 30])
            #expect(try await store.openDebts() == [])
            try await store.expectWhole()
        }
    }

    @Test func `what a reversal forgives is noted no more`() async throws {
        try await TestStore.open { store in
            try await Belongings.fill(store, anna)
            try await store.attach(Self.refund, to: anna)
            try await store.erase(anna)
            #expect(try await store.openDebts() == [Self.debt(30)])
            try await store.attach(Belongings.reversalOfCoins, to: ben)
            #expect(try await store.openDebts() == [])
            try await store.attach(Belongings.another("30003"), to: cleo)
            #expect(try await store.coins(of: cleo) == [0, 0])
            try await store.expectWhole()
        }
    }

    @Test func `what the catalogue of another instance makes of it counts at the erasure`() async throws {
        try await TestStore.open(instances: 2) { store in
            let gems = { (signed: Int?, revoked: Int?) in
                Sample.sale(
                    "20007", of: "gems.new", .consumable, day: 31, account: Belongings.account, signedDay: signed,
                    revokedDay: revoked)
            }
            try await store.attach(gems(nil, nil), to: anna)
            _ = try await CatalogueVersionCache.apply(
                "more", to: store.pool, at: store.clock.now, isSame: { $0 == "more" })
            _ = try await store.instances[1].reader.ledger(of: anna)
            _ = try await store.spend(40, of: anna, under: "order-1", via: 1).get()
            try await store.attach(gems(39, 39), to: anna, via: 1)
            try await store.erase(anna)
            #expect(try await store.openDebts() == [Self.debt(40)])
            try await store.expectWhole()
        }
    }

    @Test func `a damaged projection is rebuilt to the same bytes`() async throws {
        try await TestStore.open { store in
            for user in [anna, ben] {
                let number = user == anna ? "1" : "2"
                let coins = { (signed: Int?, revoked: Int?) in
                    Sample.sale(
                        "2000" + number, of: "coins.100", .consumable, day: 31, account: "7000" + number,
                        signedDay: signed, revokedDay: revoked)
                }
                try await store.attach(coins(nil, nil), to: user)
                _ = try await store.spend(40, of: user, under: "order").get()
                try await store.attach(coins(39, 39), to: user)
                try await store.erase(user)
            }
            let before = try await store.schema.dump("open_debts")
            #expect(before.count == 2)
            for damage in [
                "DELETE FROM open_debts", "UPDATE open_debts SET units = 7",
                "INSERT INTO open_debts SELECT 'x', app, environment, unit, user_id, 5 FROM open_debts",
            ] {
                try await store.schema.rows(damage)
                try await Projection(pool: store.pool, settings: Sample.settings)
                    .rebuild(given: store.instances[0].versionCache.snapshot)
                #expect(try await store.schema.dump("open_debts") == before, "\(damage)")
            }
        }
    }

    @Test func `what is owed for coins that somebody living had before follows too`() async throws {
        try await TestStore.open { store in
            try await Belongings.fill(store, anna)
            _ = try await store.transfer(.one(PurchaseName(ExternalID("20003"))), from: anna, to: ben).get()
            _ = try await store.spend(50, of: ben, under: "order-9").get()
            try await store.attach(Self.refund, to: ben)
            let erased = try await store.erase(ben)
            try await store.attach(Belongings.another("30003"), to: cleo)
            #expect(try await [store.coins(of: cleo), store.coins(of: erased)] == [[0, 50], [0, 0]])
            #expect(try await store.coins(of: anna) == [0, 40])
            try await store.expectWhole()
        }
    }

    @Test
    func `what is owed for coins whose rest somebody living has follows, and the reversal stays where the coins are`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            _ = try await store.transfer(.one(PurchaseName(ExternalID("20003"))), from: anna, to: ben).get()
            try await store.attach(Self.refund, to: ben)
            let erased = try await store.erase(anna)
            try await store.attach(Belongings.another("30003"), to: cleo, via: 1)
            #expect(try await [store.coins(of: cleo), store.coins(of: erased)] == [[0, 30], [0, 0]])
            #expect(try await store.coins(of: ben) == [0, 0])
            try await store.expectWhole()
            let reversal = Belongings.reversalOfCoins
            try await withThrowingTaskGroup(of: Void.self) { group in
                for instance in [0, 1] {
                    group.addTask { try await store.attach(reversal, to: ben, via: instance) }
                    group.addTask {
                        try await store.attach(
                            Belongings.another("30003"), to: cleo, via: instance)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await [store.coins(of: cleo), store.coins(of: ben)] == [[0, 30], [60, 0]])
            #expect(try await store.coins(of: erased) == [40, 0])
            for user in [cleo, ben] { try await store.erase(user) }
            try await store.expectWhole()
        }
    }

    @Test func `what somebody owes who has nothing of the Apple account any more follows it`() async throws {
        try await TestStore.open { store in
            try await store.attach(Belongings.sales[2], to: anna)
            _ = try await store.spend(40, of: anna, under: "order-1").get()
            _ = try await store.transfer(.all, from: anna, to: ben).get()
            try await store.attach(Self.refund, to: ben)
            let erased = try await store.erase(anna)
            try await store.attach(Belongings.another("30003"), to: cleo)
            #expect(try await [store.coins(of: cleo), store.coins(of: erased)] == [[0, 40], [0, 0]])
            try await store.expectWhole()
        }
    }

    @Test func `of those who show the Apple account at once one owes it`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(8, soak: 200) {
                let (user, account) = (Sample.user("r\(round)"), "7000\(round)")
                let coins = Sample.sale("2000\(round)", of: "coins.100", .consumable, day: 31, account: account)
                let refund = Sample.sale(
                    "2000\(round)", of: "coins.100", .consumable, day: 31, account: account, signedDay: 39,
                    revokedDay: 39)
                try await store.attach(coins, to: user)
                _ = try await store.spend(40, of: user, under: "order").get()
                let erased = try await store.erase(user)
                let racers = (0..<6).map { Sample.user("c\(round)-\($0)") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await store.attach(refund, to: ben, via: round % 2) }
                    for (number, racer) in racers.enumerated() {
                        group.addTask {
                            let pass = Sample.pass("3\(round)\(number)", day: 33, account: account)
                            for instance in 0..<4 {
                                try await store.attach(pass, to: racer, via: (instance + number) % 2)
                            }
                            if number == round { try await store.erase(racer) }
                        }
                    }
                    try await group.waitForAll()
                }
                for racer in racers {
                    let pass = Sample.pass("4\(round)" + racer.text.suffix(1), day: 34, account: account)
                    try await store.attach(pass, to: racer)
                }
                var owed: [[Int]] = []
                for user in racers + [erased] { owed.append(try await store.coins(of: user)) }
                #expect(owed.filter { $0 == [0, 40] }.count == 1 && owed.filter { $0 == [0, 0] }.count == 6)
            }
            try await store.expectWhole()
        }
    }
}
