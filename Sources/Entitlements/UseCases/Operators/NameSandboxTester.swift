/// An operator puts a user on the list of sandbox testers, or takes them off (`semantics.md` §9).
package struct NameSandboxTester: Sendable {
    package let user: UserID
    package let isTester: Bool
    package let note: Note

    package init(_ user: UserID, isTester: Bool, note: Note) {
        self.user = user
        self.isTester = isTester
        self.note = note
    }

    /// Answers whether they are on the list now; an act that changes nothing is not recorded.
    package func decide(given history: PurchaseHistory) -> Decision<Bool, Never> {
        guard history.ledger(of: user).isSandboxTester() != isTester else {
            return Decision(answer: .success(isTester))
        }
        return Decision(
            drafts: [user: [.init(.sandboxTester(isTester), at: history.now, note: note)]],
            answer: .success(isTester))
    }
}
