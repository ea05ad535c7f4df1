import Entitlements
import Testing

/// Whom an Apple account stands for, and which of its texts count (`semantics.md` §5, *The Apple account as sign-in*).
@Suite struct AppleAccountNoteTests {
    private static let account = UserID.appleAccount(Label("x"))
    private static let bob: UserID = "bob"
    private static let erased = UserID.erased(pseudonym: 7)

    @Test(
        arguments: [
            (account, nil, .stale, nil, nil), (account, 5, .stale, .stale, nil), (erased, nil, .stale, nil, nil),
            (erased, 5, .stale, .stale, nil), (bob, nil, .signedInElsewhere, .signedInElsewhere, .signedInElsewhere),
            (bob, 5, .signedInElsewhere, .signedInElsewhere, .signedInElsewhere),
        ] as [(UserID, Int64?, AppleAccountRefusal?, AppleAccountRefusal?, AppleAccountRefusal?)])
    func `a text signs in unless it is from before, or the account is another's`(
        holder: UserID, signedOutAt: Int64?, at2: AppleAccountRefusal?, at4: AppleAccountRefusal?,
        at6: AppleAccountRefusal?
    ) {
        let note = AppleAccountNote(
            holder: holder, since: Instant(milliseconds: 3), signedOutAt: signedOutAt.map(Instant.init))
        for (instant, refusal) in [(2, at2), (4, at4), (6, at6)] as [(Int64, AppleAccountRefusal?)] {
            #expect(note.refusal(of: Instant(milliseconds: instant), for: Self.account) == refusal, "\(instant)")
        }
        #expect(note.refusal(of: Instant(milliseconds: 6), for: Self.account, adoptedBy: "carol") == at6)
    }

    @Test func `whoever has adopted may adopt again with a text of before, but of no sign-out`() {
        let note = AppleAccountNote(
            holder: Self.bob, since: Instant(milliseconds: 3), signedOutAt: Instant(milliseconds: 2))
        for (instant, refusal) in [(1, .stale), (2, nil), (4, nil)] as [(Int64, AppleAccountRefusal?)] {
            let refused = note.refusal(of: Instant(milliseconds: instant), for: Self.account, adoptedBy: Self.bob)
            #expect(refused == refusal, "\(instant)")
            #expect(note.proves(textOf: Instant(milliseconds: instant)) == (refusal == nil))
        }
    }

    @Test func `an account claims by proof alone, unless the texts name no account or its own token`() {
        let named = VerifiedPurchase.state(of: "1", at: "01-01", account: "A")
        let unnamed = VerifiedPurchase.state(of: "1", at: "01-01")
        let own = VerifiedPurchase.state(of: "1", at: "01-01", accountToken: "t", account: "A")
        func claim(
            _ state: VerifiedPurchase, by user: UserID, _ proof: AccountProof? = nil,
            _ unclaimed: ClaimRules.Unclaimed = .any
        ) -> Result<Claim, AttachRefusal> {
            let history = PurchaseHistory(
                now: "01-02", ledgers: [:], purchases: [state.key: .init(states: [state])],
                tokenHolders: ["t": Self.account])
            let context = ClaimContext(rules: ClaimRules(unclaimed: unclaimed), fold: .example)
            return Attach(state, to: user, proof: proof, in: context).decide(given: history).answer
        }
        for unclaimed in ClaimRules.Unclaimed.allCases {
            #expect(claim(named, by: Self.account, nil, unclaimed) == .failure(.notClaimable))
            #expect(claim(named, by: Self.account, "B", unclaimed) == .failure(.notClaimable))
            #expect(claim(named, by: Self.account, "A", unclaimed) == .success(.unowned))
            #expect(claim(own, by: Self.account, nil, unclaimed) == .success(.unowned))
            #expect(claim(own, by: Self.bob, "A", unclaimed) == .failure(.accountTokenMismatch))
        }
        #expect(claim(unnamed, by: Self.account) == .success(.unowned))
        #expect(claim(unnamed, by: Self.account, nil, .fresh24h) == .success(.unowned))
        #expect(claim(unnamed, by: Self.account, nil, .proof) == .failure(.notClaimable))
        #expect(claim(named, by: Self.bob) == .success(.unowned))
    }
}
