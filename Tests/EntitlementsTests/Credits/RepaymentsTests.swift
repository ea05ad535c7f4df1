import Testing

@testable import Entitlements

/// The order in which repayments end (`semantics.md` §4, "Refunds and debt").
@Suite struct RepaymentsTests {
    /// 10 units of the first lot, then 20 of the second, then 30 of the first.
    private static let repayments: Repayments = {
        var repayments = Repayments()
        for (units, position) in [(10, 0), (20, 1), (30, 0)] { repayments.add(units, from: position) }
        return repayments
    }()

    /// Such as `30 of 0`, the newest first.
    private static func undone(_ units: Int, of repayments: inout Repayments) -> [String] {
        repayments.undo(units).map { "\($0.units) of \($0.position)" }
    }

    @Test(
        arguments: [
            (0, []), (1, ["1 of 0"]), (30, ["30 of 0"]), (31, ["30 of 0", "1 of 1"]),
            (50, ["30 of 0", "20 of 1"]), (60, ["30 of 0", "20 of 1", "10 of 0"]),
        ] as [(Int, [String])])
    func `the newest repayments end first, and the others go on`(units: Int, ended: [String]) {
        var repayments = Self.repayments
        let undone = Self.undone(units, of: &repayments)
        #expect(undone == ended && repayments.total == 60 - units)
        let rest = Self.undone(60 - units, of: &repayments)
        #expect(rest.last == (units < 60 ? "10 of 0" : nil) && repayments.total == 0)
    }

    @Test(
        arguments: [
            (1, 1, ["30 of 0", "19 of 1", "10 of 0"]), (1, 0, ["29 of 0", "20 of 1", "10 of 0"]),
            (30, 0, ["20 of 1", "10 of 0"]), (35, 0, ["20 of 1", "5 of 0"]), (40, 0, ["20 of 1"]),
            (20, 1, ["30 of 0", "10 of 0"]),
        ] as [(Int, Int, [String])])
    func `of one lot the newest repayments end first too, and no other lot's end`(
        units: Int, position: Int, rest: [String]
    ) {
        var repayments = Self.repayments
        repayments.withdraw(units, from: position)
        #expect(repayments.total == 60 - units)
        let undone = Self.undone(60 - units, of: &repayments)
        #expect(undone == rest)
    }
}
