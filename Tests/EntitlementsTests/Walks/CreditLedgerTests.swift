import Entitlements
import Testing

/// Random ledgers of lots, refunds and acts that were decided as the server decides them, held against the promises of
/// `semantics.md` §1 and §4.
@Suite struct CreditLedgerTests {
    private static let seeds = UInt64(0)..<60
    private static let days: Int64 = 40

    private static func day(_ number: Int64) -> Instant { Instant("01-01") + number * Instant.millisecondsPerDay }

    /// A story, and what each spend was answered.
    private struct Walk {
        var story = Story()
        var answers: [(key: String, amount: Int, receipt: SpendReceipt)] = []
        /// What was said on each day about that day and a later one.
        var said: [(on: Instant, told: [[String]])] = []

        init(using random: inout SplitMix64) {
            var lots: [String] = []
            var reservations: [String] = []
            for number in 0..<days {
                let at = day(number)
                let lot = lots.randomElement(using: &random) ?? ""
                switch Int.random(in: 0..<11, using: &random) {
                case 0, 1:
                    lots.append("lot\(number)")
                    let product = Bool.random(using: &random) ? ProductID.credits100 : .lenient100
                    story = story.credits("lot\(number)", product, at: at)
                case 2: story = story.grants("promo\(number)", 60, until: at + 8 * Instant.millisecondsPerDay, at: at)
                case 3:
                    let revokedAt = max("01-01", at + -5 * Instant.millisecondsPerDay)
                    story = story.refunds(
                        lot, at: revokedAt, share: Int.random(in: 1...100_000, using: &random), signedAt: at)
                case 4: story = story.reverses(lot, signedAt: at)
                case 5:
                    reservations.append("r\(number)")
                    story = story.reserves("r\(number)", 30, seconds: 5 * 86_400, at: at)
                case 6: story = story.commits(reservations.last ?? "", 20, at: at)
                case 7: story = story.releases(reservations.randomElement(using: &random) ?? "", at: at)
                default:
                    let amount = Int.random(in: 1...90, using: &random)
                    let decision = story.asking(toSpend: amount, "spend\(number)", at: at)
                    story = story.following(decision, at: at)
                    guard case .success(let receipt) = decision.answer else { continue }
                    answers.append(("spend\(number)", amount, receipt))
                }
                said.append((at + 1000, Self.told(story, on: at)))
            }
        }

        static func told(_ story: Story, on day: Instant, knownAt: Instant? = nil) -> [[String]] {
            [0, 4, 9].map { story.balances(at: day + $0 * Instant.millisecondsPerDay, knownAt: knownAt) }
        }
    }

    @Test func `the identity holds at every instant`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let timeline = Walk(using: &random).story.timeline(in: Story.catalogue)
            var at = timeline.nextChange(after: .distantPast)
            while at < .distantFuture {
                let next = timeline.nextChange(after: at)
                let balances = timeline.creditBalances(at: at)
                let lots = timeline.lotBalances(at: at)
                #expect(balances.allSatisfy { $0.isSound }, "seed \(seed), at \(at.text)")
                #expect(lots.reduce(0) { $0 + $1.spendable } == balances.reduce(0) { $0 + $1.spendable })
                #expect(lots.allSatisfy { $0.spendable >= 0 && $0.spent + $0.reserved <= $0.credited }, "seed \(seed)")
                #expect(timeline.creditBalances(at: next + -1) == balances, "seed \(seed), until \(next.text)")
                at = next
            }
        }
    }

    @Test func `evidence may arrive in any order`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let story = Walk(using: &random).story
            var shuffled = story
            shuffled.ledger = story.ledger.shuffled(using: &random)
            for number in stride(from: Int64(0), to: Self.days + 10, by: 7) {
                #expect(story.balances(at: Self.day(number)) == shuffled.balances(at: Self.day(number)), "seed \(seed)")
            }
        }
    }

    @Test func `what was said is still known`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let walk = Walk(using: &random)
            for (on, told) in walk.said {
                #expect(Walk.told(walk.story, on: on + -1000, knownAt: on) == told, "seed \(seed), on \(on.text)")
            }
        }
    }

    @Test func `every repeated key gives its first answer`() throws {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let walk = Walk(using: &random)
            for (key, amount, receipt) in walk.answers {
                let again = walk.story.asking(toSpend: amount, key, at: "2027-01-01")
                #expect(try again.answer.get() == receipt, "seed \(seed), \(key)")
                #expect(receipt.draws.reduce(0) { $0 + $1.amount } == amount && again.drafts.isEmpty, "seed \(seed)")
            }
        }
    }

    @Test func `ten thousand spends are folded in one go`() throws {
        var story = Story()
        for number in Int64(0)..<100 { story = story.credits("lot\(number)", at: "01-01" + number) }
        let lots = story.timeline().purchases.map(\.key)
        let spends = (0..<10_000).map { number in
            let draws = [Draw(lot: lots[number / 100], amount: 1)]
            let spend = Spend(
                idempotencyKey: "\(number)", request: "", purse: .credit, amount: 1, draws: draws,
                spendableAfter: 9_999 - number)
            return LedgerEntry.Draft(.credit(.spent(spend)), at: "01-02" + Int64(number))
        }
        story.ledger.append(spends, at: "01-02")
        #expect(story.balances(at: "01-02" + 4_999) == ["5000 = 10000 credited − 5000 spent"])
        #expect(story.balances(at: "01-03") == ["0 = 10000 credited − 10000 spent"])
        let refunded = story.refunds("lot7", at: "01-01 12:00", signedAt: "01-04")
        #expect(refunded.balances(at: "01-04") == ["−100 = 10000 credited − 100 refunded − 10000 spent"])
    }
}
