import Entitlements
import Testing

/// The cost of handing everything over grows with what there is, and not with its square (`threats.md` T40).
@Suite struct HandoverStepsTests {
    @Test(arguments: [100, 1_000, 10_000])
    func `handing everything over takes a few steps for each purchase`(_ count: Int) {
        var ledger = UserLedger(user: .alice)
        for number in 0..<count {
            let state: VerifiedPurchase =
                number.isMultiple(of: 2)
                ? .state(of: "\(number)", .credits100, .consumable, at: "01-01") : .state(of: "\(number)", at: "01-01")
            ledger.append(
                [
                    LedgerEntry.Draft(.stated(.purchase(state)), at: "01-01"),
                    LedgerEntry.Draft(.bound(state.key), at: "01-01"),
                ], at: "01-01")
        }
        let timeline = Timeline(folding: ledger, given: Story.catalogue, settings: .everyone)
        let going = Array(timeline.purchases.indices)
        let made = timeline.handovers(of: going, at: "01-10", cause: .merge)
        #expect(made.steps <= 4 * count)
        #expect(made.handovers.count == count)
        #expect(made.handovers.reduce(0) { $0 + $1.units } == 100 * count / 2)
        for index in going.prefix(10) {
            #expect(made.handovers[index] == timeline.handover(of: index, at: "01-10", cause: .merge))
        }
    }
}
