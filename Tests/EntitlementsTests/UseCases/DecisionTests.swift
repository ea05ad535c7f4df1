import Entitlements
import Testing

/// What a decision writes.
struct DecisionTests {
    private struct Row: SideRow {}

    private static let key = PurchaseKey.pass("p")
    private static let nothing = Decision<Int, Never>(answer: .success(1))

    @Test func `a binding, a move, a fact, a token and a row are each a change, and an answer is none`() {
        let move = Move(to: .alice, Handover(cause: .operator), at: "01-01")
        let changes: [Decision<Int, Never>] = [
            Decision(bindings: [Self.key: .alice], answer: .success(1)),
            Decision(moves: [Self.key: move], answer: .success(1)),
            Decision(drafts: [.alice: [.init(.bound(Self.key), at: "01-01")]], answer: .success(1)),
            Decision(tokens: ["t": .alice], answer: .success(1)), Decision(sideRows: [Row()], answer: .success(1)),
            Self.nothing.adding(Row()),
        ]
        #expect(changes.map(\.changesNothing) == changes.map { _ in false })
        #expect(Self.nothing.changesNothing)
    }

    @Test func `a row is added to those that are written already, and another reply leaves all of them`() {
        let decision = Self.nothing.adding(Row()).adding(Row()).mapReply { "\($0)" }
        #expect(decision.sideRows.count == 2 && decision.answer == .success("1"))
    }
}
