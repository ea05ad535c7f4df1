import Testing

@testable import Entitlements

/// The cost of a chain grows with the number of its periods, and not with its square (`threats.md` T40).
@Suite struct PeriodStepsTests {
    /// The states of a renewal that count how often one of them is looked at.
    private struct CountedRenewals: RandomAccessCollection {
        final class Looks {
            var number = 0
        }

        let states: [VerifiedRenewal]
        let looks = Looks()
        var startIndex: Int { states.startIndex }
        var endIndex: Int { states.endIndex }

        subscript(index: Int) -> VerifiedRenewal {
            looks.number += 1
            return states[index]
        }
    }

    @Test(arguments: [100, 1_000, 10_000])
    func `what the renewals say of a period is found in a few looks`(_ count: Int) {
        let (start, length): (Instant, Int64) = ("01-01", 5 * 60_000)
        let states = (0..<count).map { number in
            let startsAt = start + Int64(number) * length
            return VerifiedPurchase.state(
                of: "w", .proMonthly, .plan, transaction: "\(number)", period: "\(number)", at: startsAt,
                until: startsAt + length)
        }
        let renewals = CountedRenewals(
            states: states.map { VerifiedRenewal(key: $0.key, signedAt: $0.purchasedAt, willRenew: true) })
        let periods = Period.all(in: states, withdrawal: .untouched)
        let words = periods.map { $0.words(in: renewals, from: $0.startsAt + length).map(\.renewal) }
        #expect(words == renewals.states.map { [$0] })
        #expect(renewals.looks.number <= 40 * count)
    }
}
