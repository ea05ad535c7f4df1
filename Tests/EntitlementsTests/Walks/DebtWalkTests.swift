import Entitlements
import Testing

/// Random histories of people who buy, spend, owe, are erased and come back, held against the identity of
/// `semantics.md` §4 and the rules of §5.
@Suite struct DebtWalkTests {
    private static let people: [UserID] = ["p0", "p1", "p2"]
    private static let lots = (0..<4).map { number in
        VerifiedPurchase.state(
            of: "c\(number)", .credits100, .consumable, at: "01-01", account: number < 3 ? "A" : "B")
    }

    /// A history, day after day.
    private struct Walk {
        var world = World()
        var random: SplitMix64
        var at: Instant = "01-02"
        var attached: Set<Int> = []
        var shares = [Int](repeating: 0, count: lots.count)
        private var erased: UInt64 = 0

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        var timelines: [Timeline] { world.ledgers.keys.sorted().map { world.timeline(of: $0) } }

        mutating func step() {
            at = at + Instant.millisecondsPerDay
            let person = people.randomElement(using: &random) ?? .alice
            let number = Int.random(in: lots.indices, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1: attach(number, to: person)
            case 2, 3: world.spend(Int.random(in: 1...90, using: &random), of: person, at: at)
            case 4: world.reserve(Int.random(in: 1...90, using: &random), of: person, at: at)
            case 5, 6:
                guard attached.contains(number) else { return }
                shares[number] = [0, 30_000, 100_000].randomElement(using: &random) ?? 0
                let revocation = shares[number] == 0 ? nil : Revocation(revokedAt: at, share: shares[number])
                world.record(lots[number].with(revocation: revocation, signedAt: at), at: at)
            case 7: world.move("c\(number)", from: person, to: people.randomElement(using: &random) ?? person, at: at)
            default:
                erased += 1
                world.erase(person, as: erased)
            }
        }

        private mutating func attach(_ number: Int, to person: UserID) {
            let account = lots[number].account
            let proof = Bool.random(using: &random) ? account.map { AccountProof(of: $0, in: .vpn, .production) } : nil
            attached.insert(number)
            let owed = balance(of: person).debt
            _ = world.attach(lots[number], to: person, proof: proof, at: at)
            #expect(balance(of: person).debt <= owed, "no purchase brings a debt along")
        }

        private func balance(of person: UserID) -> CreditBalance {
            world.timeline(of: person).facts(of: .credit).state(at: at).balance
        }
    }

    @Test func `nothing is lost or doubled, whoever comes and goes`() {
        var writtenOff = 0
        for seed in UInt64(0)..<400 {
            var walk = Walk(seed: seed)
            for day in Int64(1)...30 {
                walk.step()
                let balances = walk.timelines.flatMap { $0.creditBalances(at: walk.at) }
                let sum = { (part: (CreditBalance) -> Int) in balances.reduce(0) { $0 + part($1) } }
                #expect(balances.allSatisfy { $0.isSound }, "seed \(seed), day \(day)")
                let earlier =
                    Instant("01-02") + Int64.random(in: 1...day, using: &walk.random) * Instant.millisecondsPerDay
                #expect(
                    walk.timelines.flatMap { $0.creditBalances(at: earlier) }.allSatisfy { $0.isSound }, "seed \(seed)")
                #expect(sum(\.credited) == 100 * walk.attached.count, "seed \(seed), day \(day)")
                #expect(
                    sum(\.refunded)
                        == walk.attached.reduce(0) { $0 + CreditLot.refunded(of: 100, share: walk.shares[$1]) },
                    "seed \(seed), day \(day)")
                for timeline in walk.timelines where timeline.user.isErased {
                    writtenOff += timeline.creditBalances(at: walk.at).reduce(0) { $0 + $1.debt }
                }
            }
        }
        #expect(writtenOff > 1000)
    }
}
