import Entitlements
import Testing

/// Whom an account token gives a purchase that a store tells of by itself (`semantics.md` §5, "Account tokens").
struct PlacePurchaseTests {
    private static let key = PurchaseKey.pass("p")

    /// Who has the purchase afterwards; it is bound to the one who gets it, and to nobody else.
    private func check(
        token: Label?, of holder: UserID? = .alice, for named: UserID? = .alice, decodesLegacyTokens: Bool = false,
        owner: UserID? = nil, gives user: UserID?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let states = [VerifiedPurchase.state(of: "p", at: "01-01", accountToken: token)]
        let history = PurchaseHistory(
            now: "01-02", ledgers: [:], purchases: [Self.key: .init(owner: owner, states: states)],
            tokenHolders: [token ?? "other": holder].compactMapValues { $0 })
        let decision = PlacePurchase(
            Self.key, for: named, under: ClaimRules(decodesLegacyTokens: decodesLegacyTokens)
        ).decide(given: history)
        #expect(decision.answer == .success(user), sourceLocation: sourceLocation)
        #expect(
            decision.bindings == (owner == nil ? [Self.key: user].compactMapValues { $0 } : [:]),
            sourceLocation: sourceLocation)
    }

    @Test func `a token gives what nobody has to the user whom it names`() {
        check(token: "t", gives: .alice)
        check(token: "t", decodesLegacyTokens: true, gives: .alice)
        check(token: "t", of: "bob", gives: nil)
        check(token: "t", of: nil, gives: nil)
        check(token: "t", for: nil, gives: nil)
        check(token: "t", of: .erased(pseudonym: 7), for: .erased(pseudonym: 7), gives: nil)
        check(token: "t", owner: "bob", gives: "bob")
    }

    @Test func `a token of the legacy form gives where such tokens are decoded, and nowhere else`() {
        check(token: "legacy:x", decodesLegacyTokens: true, gives: .alice)
        check(token: "legacy:x", gives: nil)
        check(token: "legacy:x", of: "bob", decodesLegacyTokens: true, gives: nil)
    }

    @Test func `what has no token, and what was never seen, is given to nobody`() {
        check(token: nil, gives: nil)
        check(token: nil, decodesLegacyTokens: true, gives: nil)
        let nothing = PurchaseHistory(now: "01-02", ledgers: [:], purchases: [:], tokenHolders: ["t": .alice])
        let decision = PlacePurchase(Self.key, for: .alice, under: ClaimRules()).decide(given: nothing)
        #expect(decision.answer == .success(nil) && decision.changesNothing)
    }
}
