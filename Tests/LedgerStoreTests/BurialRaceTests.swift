import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Whatever comes while somebody is erased finds the purchase, by its number or by its tombstone, and makes no second one.
@Suite(.serialized) struct BurialRaceTests {
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")

    @Test func `refunds, attaches and restores while the owner is erased find the one purchase`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(8, soak: 400) {
                let (user, number) = (Books.user("r\(round)"), "5000\(round)")
                try await shop.attach(Books.pass(number, day: 30, account: "7000\(round)"), to: user)
                let refund = Books.pass(number, day: 30, account: "7000\(round)", signedDay: 41, revokedDay: 41)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await shop.erase(user, via: round % 2) }
                    for racer in 0..<6 {
                        group.addTask {
                            let state = racer % 2 == 0 ? refund : Books.pass(number, day: 30, account: "7000\(round)")
                            if racer < 4 {
                                let answer = try await shop.attach(state, to: ben, text: "t\(racer)", via: racer % 2)
                                #expect(answer == .failure(.ownedByAnotherUser))
                            } else {
                                let verdicts = try await shop.restore([state], to: cleo, via: racer % 2)
                                #expect(verdicts == [0: .refused(.ownedByAnotherUser)])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let counts = try await shop.schema.counts()
                #expect(counts["purchases"] == round + 1 && counts["apple_iap_transactions"] == 2 * (round + 1))
                try await shop.expectNothing(of: [number, "7000\(round)"], nor: [refund])
            }
            try await shop.expectWhole()
        }
    }

    @Test func `of two who attach a purchase while the first of them is erased one has it`() async throws {
        try await Shop.open(instances: 2) { shop in
            // Something is buried from the beginning in every other round.
            for round in 0..<TestRun.rounds(8, soak: 400) {
                let (user, number) = (Books.user("r\(round)"), "5000\(round)")
                let pass = Books.pass(number, day: 30)
                try await shop.attach(Books.pass("other \(round)"), to: user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await shop.attach(pass, to: user)
                        try await shop.erase(user)
                    }
                    for _ in 0..<4 { group.addTask { try await shop.attach(pass, to: ben, via: 1) } }
                    try await group.waitForAll()
                }
                let owner = try await shop.attach(pass, to: ben, via: round % 2)
                #expect(owner == .success(.alreadyTheirs) || owner == .failure(.ownedByAnotherUser))
                #expect(try await shop.schema.counts()["purchases"] == 2 * (round + 1))
            }
            try await shop.expectWhole()
        }
    }

    @Test(arguments: [false, true])
    func `a purchase that is bound and buried behind the back of a batch is not made twice`(
        known: Bool
    ) async throws {
        try await Shop.open(instances: 2) { shop in
            let (user, pass) = (Books.user("anna"), Books.pass("20001", day: 30))
            try await shop.attach(Books.pass("bens"), to: ben)
            try await shop.attach(Books.pass("others"), to: user)
            if known {
                _ = try await shop.instances[0].ledger.record([Shop.evidence(pass)], for: []) { _ in
                    Decision<Void, Never>(answer: .success(()))
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Ben's batch has looked for the purchase, and waits for his row.
                group.addTask {
                    try await shop.pool.transaction { (session) throws(DatabaseError) in
                        _ = try session.query(
                            Statement("lock ben", "SELECT pseudonym FROM users WHERE user_id = 'ben' FOR UPDATE"))
                        _ = try session.query(Statement("wait", "SELECT SLEEP(3)"))
                    }
                }
                try await Task.sleep(for: .milliseconds(300))
                group.addTask {
                    let answer = try await shop.attach(pass, to: ben)
                    #expect(answer == .failure(.ownedByAnotherUser))
                }
                try await Task.sleep(for: .milliseconds(500))
                let bound = try await shop.attach(pass, to: user, via: 1)
                #expect(bound == .success(.unowned))
                try await shop.erase(user, via: 1)
                try await group.waitForAll()
            }
            #expect(try await shop.schema.counts()["purchases"] == 3)
            try await shop.expectNothing(of: ["20001", "anna"], nor: [pass])
            try await shop.expectWhole()
        }
    }

    @Test func `who claims it while refunds arrive and is erased leaves whole chains and one purchase`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(8, soak: 300) {
                let (user, claimant) = (Books.user("r\(round)"), Books.user("c\(round)"))
                let (number, account) = ("5000\(round)", "7000\(round)")
                let pass = Books.pass(number, day: 30, account: account)
                try await shop.attach(pass, to: user)
                try await shop.erase(user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await shop.attach(pass, to: claimant, proof: account)
                        if round % 2 == 0 { try await shop.erase(claimant, via: 1) }
                    }
                    for racer in 0..<4 {
                        group.addTask {
                            let state = Books.pass(
                                number, day: 30, account: account, signedDay: 41 + racer, revokedDay: 41)
                            try await shop.attach(state, to: ben, via: racer % 2)
                        }
                    }
                    try await group.waitForAll()
                }
                let counts = try await shop.schema.counts()
                #expect(counts["purchases"] == round + 1 && counts["apple_iap_transactions"] == 5 * (round + 1))
                if round % 2 == 0 { try await shop.expectNothing(of: [number, account], nor: [pass]) }
            }
            try await shop.expectWhole()
        }
    }
}
