import Entitlements
import Testing

/// What a decision writes.
struct DecisionTests {
    private static let key = PurchaseKey.pass("p")
    private static let nothing = Decision<Int, Never>(answer: .success(1))

    @Test func `a binding, a move, a fact, a token and a placement are each a change, and an answer is none`() {
        let move = Move(to: .alice, Handover(cause: .operator), at: "01-01")
        let changes: [Decision<Int, Never>] = [
            Decision(bindings: [Self.key: .alice], answer: .success(1)),
            Decision(moves: [Self.key: move], answer: .success(1)),
            Decision(drafts: [.alice: [.init(.bound(Self.key), at: "01-01")]], answer: .success(1)),
            Decision(tokens: ["t": .alice], answer: .success(1)),
            Decision(placement: Placement(of: 1, .pending), answer: .success(1)),
        ]
        #expect(changes.map(\.changesNothing) == changes.map { _ in false })
        #expect(Self.nothing.changesNothing)
    }

    @Test func `another reply leaves the placement`() {
        let placement = Placement(of: 1, .pending)
        let decision = Decision<Int, Never>(placement: placement, answer: .success(1)).mapReply { "\($0)" }
        #expect(decision.placement == placement && decision.answer == .success("1"))
    }
}
