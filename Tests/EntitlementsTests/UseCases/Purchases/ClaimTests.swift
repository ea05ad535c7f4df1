import Entitlements
import Testing

/// Who may have a purchase (`semantics.md` §5), and for which instant an attach is answered (§2).
@Suite struct ClaimTests {
    private static let now: Instant = "2026-01-10"
    private static let minute: Int64 = 60_000

    private static func state(at purchasedAt: Instant, token: Label? = nil, signedAt: Instant? = nil)
        -> VerifiedPurchase
    {
        VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: AppID("app"), environment: .production, externalID: ExternalID("1")),
            transactionID: TransactionID("1"), productID: .pro30, type: .pass, purchasedAt: purchasedAt,
            accountToken: token, account: Label("account"), signedAt: signedAt ?? purchasedAt)
    }

    private static func claim(
        _ states: [VerifiedPurchase], owner: UserID? = nil, holders: [Label: UserID] = [:],
        proof: AccountProof? = nil, _ unclaimed: ClaimRules.Unclaimed = .any,
        decodesLegacyTokens: Bool = false
    ) -> Result<Claim, AttachRefusal> {
        let key = states[0].key
        let history = PurchaseHistory(
            now: now, ledgers: [:], purchases: [key: .init(owner: owner, states: states)], tokenHolders: holders)
        let attach = Attach(
            states[0], to: .alice, proof: proof,
            in: ClaimContext(
                rules: ClaimRules(unclaimed: unclaimed, decodesLegacyTokens: decodesLegacyTokens), fold: .example))
        let decision = attach.decide(given: history)
        let isBound = decision.answer == .success(.unowned)
        #expect(decision.bindings == (isBound ? [key: .alice] : [:]) && decision.moves == [:])
        return decision.answer
    }

    @Test func `the rules are tried in their order`() throws {
        let bob: UserID = "bob"
        let token = Label("00000000-0000-4000-8000-00000000000a")
        let state = Self.state(at: Self.now, token: token)
        #expect(Self.claim([state], owner: .alice, holders: [token: bob], .proof) == .success(.alreadyTheirs))
        #expect(Self.claim([state], owner: bob, holders: [token: bob]) == .failure(.ownedByAnotherUser))
        #expect(Self.claim([state], holders: [token: bob], .proof) == .failure(.accountTokenMismatch))
        #expect(Self.claim([state], holders: [token: .alice], .proof) == .success(.unowned))
        #expect(Self.claim([state]) == .success(.unowned), "a token that nobody was issued names nobody")
    }

    @Test func `an older text without the token does not escape its veto`() throws {
        let bob: UserID = "bob"
        let token = Label("00000000-0000-4000-8000-00000000000a")
        let (older, newer) = (Self.state(at: Self.now), Self.state(at: Self.now, token: token, signedAt: Self.now + 1))
        for states in [[older, newer], [newer, older]] {
            #expect(Self.claim(states, holders: [token: bob]) == .failure(.accountTokenMismatch))
        }
    }

    @Test func `of tokens that were signed at once the same one counts, whichever came first`() {
        let states = ["a", "b"].map { Self.state(at: Self.now, token: $0) }
        for states in [states, states.reversed()] {
            #expect(Self.claim(states, holders: ["b": "bob"]) == .failure(.accountTokenMismatch))
            #expect(Self.claim(states, holders: ["a": "bob"]) == .success(.unowned))
        }
    }

    @Test func `a token of the legacy form that names somebody never seen vetoes, if such tokens are decoded`() {
        let state = Self.state(at: Self.now, token: "legacy:x")
        let claim = { (holders: [Label: UserID], proof: AccountProof?, decodes: Bool) in
            Self.claim([state], holders: holders, proof: proof, decodesLegacyTokens: decodes)
        }
        let proof = AccountProof(of: "account", in: AppID("app"), .production)
        #expect(claim([:], nil, true) == .failure(.accountTokenMismatch))
        #expect(claim([:], proof, true) == .failure(.accountTokenMismatch), "whoever that is has not been erased")
        #expect(claim(["legacy:x": "bob"], nil, true) == .failure(.accountTokenMismatch))
        #expect(claim(["legacy:x": .alice], nil, true) == .success(.unowned))
        #expect(claim(["legacy:x": .erased(pseudonym: 7)], proof, true) == .success(.unowned))
        #expect(claim([:], nil, false) == .success(.unowned), "one that is not decoded names nobody")
        #expect(claim(["legacy:x": "bob"], nil, false) == .success(.unowned))
    }

    @Test func `a day is the last moment of a fresh purchase`() {
        let day = Instant.millisecondsPerDay
        #expect(Self.claim([Self.state(at: Self.now + -day)], .fresh24h) == .success(.unowned))
        #expect(Self.claim([Self.state(at: Self.now + (-day - 1))], .fresh24h) == .failure(.notClaimable))
    }

    @Test func `of a chain the newest period that was bought is fresh, and no renewal is`() {
        let day = Instant.millisecondsPerDay
        func month(_ id: String, at age: Int64, ending end: Int64? = nil, isBought: Bool) -> VerifiedPurchase {
            VerifiedPurchase(
                key: .pass("1"), transactionID: TransactionID(id), productID: .proMonthly, type: .plan,
                purchasedAt: Self.now + -age, originallyPurchasedAt: "2024-01-10",
                expiresAt: Self.now + (end ?? 31 * day - age), signedAt: Self.now + -age, isBought: isBought)
        }
        let first = month("1", at: 731 * day, isBought: true)
        #expect(Self.claim([first], .fresh24h) == .failure(.notClaimable))
        for bought in [month("9", at: 5 * Self.minute, isBought: true), month("9", at: day, isBought: true)] {
            #expect(Self.claim([first, bought], .fresh24h) == .success(.unowned))
            #expect(Self.claim([bought, first], .fresh24h) == .success(.unowned))
        }
        for stale in [month("9", at: 5 * Self.minute, isBought: false), month("9", at: day + 1, isBought: true)] {
            #expect(Self.claim([first, stale], .fresh24h) == .failure(.notClaimable))
        }
        let copy = month("9", at: 5 * Self.minute, ending: -600 * day, isBought: true)
        #expect(Self.claim([first, copy], .fresh24h) == .failure(.notClaimable), "a copy of today of an old period")
        let renewed = month("a", at: Self.minute, isBought: false)
        let bought = month("9", at: 2 * Self.minute, isBought: true)
        #expect(Self.claim([first, bought, renewed], .fresh24h) == .success(.unowned))
    }

    @Test func `only the same Apple account is proof`() {
        let state = Self.state(at: Self.now)
        let account = Label("account")
        let proof = AccountProof(of: account, in: AppID("app"), .production)
        #expect(Self.claim([state], proof: proof, .proof) == .success(.unowned))
        for other in [
            AccountProof(of: account, in: AppID("app"), .sandbox), AccountProof(of: account, in: .vpn, .production),
        ] {
            #expect(Self.claim([state], proof: other, .proof) == .failure(.notClaimable))
        }
        #expect(Self.claim([state], proof: "another", .proof) == .failure(.notClaimable))
        #expect(Self.claim([state], .proof) == .failure(.notClaimable))
    }

    @Test func `a clock difference of up to five minutes is forgiven`() {
        let answeredAt = { Attach.answeredAt(Self.now, recording: [Self.state(at: Self.now + $0)]) }
        #expect(answeredAt(-1) == Self.now)
        #expect(answeredAt(5 * Self.minute) == Self.now + 5 * Self.minute)
        #expect(answeredAt(5 * Self.minute + 1) == Self.now)
    }
}
