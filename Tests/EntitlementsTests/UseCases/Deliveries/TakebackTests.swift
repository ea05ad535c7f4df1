import Entitlements
import Testing

/// The purchase of a payment that went back: the way from its numbers to purchases (`semantics.md` §7, "Cards").
struct TakebackTests {
    private static let space = NumberSpace(source: .stripe, app: .cards, environment: .production)
    private static let month = VerifiedPurchase(
        key: space.key("sub"), transactionID: TransactionID("m1"), isOriginal: true, periodID: "m1",
        productID: ProductID("pro"), type: .plan, purchasedAt: "01-01", expiresAt: "02-01", signedAt: "01-01")

    private static func takeback(_ share: Int = Revocation.fullShare) -> Takeback {
        Takeback(
            numbers: ["charge"], id: TransactionID("charge"),
            revocation: Revocation(revokedAt: "01-10", share: share), signedAt: "01-10", eventID: "e")
    }

    /// The outcome of a whole refund of `charge`, how many statements it makes, what it waits for, and after `at` the
    /// purchase at which it is placed.
    private static func place(
        knowing numbers: PurchaseNumber..., of purchases: [PurchaseKey: PurchaseHistory.KnownPurchase] = [:],
        in ledgers: [UserID: UserLedger] = [:]
    ) -> String {
        var news = DeliveryNews(in: space)
        news.takeback = takeback()
        let history = PurchaseHistory(
            now: "01-11", ledgers: ledgers, purchases: purchases, tokenHolders: [:],
            numbers: Dictionary(grouping: numbers, by: \.number).mapValues(Set.init))
        let decision = PlaceDelivery(news, as: 1, under: ClaimRules()).decide(given: history)
        let outcome = decision.answer.get()
        let placement = decision.placement
        return
            ([outcome.result.rawValue, outcome.reason?.rawValue ?? "-", "\(placement?.statements.count ?? 0)"]
            + (placement?.awaited ?? []) + (placement?.purchase.map { ["at", $0.text] } ?? [])).joined(separator: " ")
    }

    @Test func `a number leads through others to a purchase or to some of its transactions`() {
        let payment = PurchaseNumber("charge", meaning: "payment")
        let invoice = PurchaseNumber("payment", meaning: "invoice")
        let line = PurchaseNumber("invoice", meaning: TransactionID("m1"), of: ExternalID("sub"))
        let known = [Self.month.key: PurchaseHistory.KnownPurchase(owner: nil, states: [Self.month])]
        #expect(Self.place() == "parked no_purchase 0 charge")
        #expect(Self.place(knowing: payment) == "parked no_purchase 0 payment charge")
        #expect(Self.place(knowing: payment, invoice, of: known) == "parked no_purchase 0 invoice charge payment")
        #expect(Self.place(knowing: payment, invoice, line) == "parked no_purchase 0 sub")
        #expect(Self.place(knowing: payment, invoice, line, of: known) == "parked no_user 1 at sub")
        let whole = [Self.space.key("payment"): PurchaseHistory.KnownPurchase(owner: .alice, states: [])]
        #expect(Self.place(knowing: payment, of: whole) == "parked no_purchase 0 payment", "nothing is stated of it")
        let lineOfCharge = PurchaseNumber("charge", meaning: TransactionID("m1"), of: ExternalID("sub"))
        #expect(Self.place(knowing: payment, lineOfCharge) == "parked no_purchase 0 payment sub", "neither is known")
    }

    @Test func `numbers that lead in a ring lead nowhere, and a line that is not stated is waited for`() {
        let ring = [PurchaseNumber("charge", meaning: "about"), PurchaseNumber("about", meaning: "charge")]
        #expect(Self.place(knowing: ring[0], ring[1]) == "parked no_purchase 0 charge about")
        let lines = ["m1", "m2"].map { PurchaseNumber("charge", meaning: TransactionID($0), of: ExternalID("sub")) }
        let known = [Self.month.key: PurchaseHistory.KnownPurchase(owner: nil, states: [Self.month])]
        #expect(Self.place(knowing: lines[0], lines[1], of: known) == "parked no_purchase 1 sub")
    }

    /// A purchase that is the payment itself, as its own event states it.
    private static func bought(quantity: Int = 1, signedAt: Instant = "01-01", event: String = "d") -> VerifiedPurchase
    {
        VerifiedPurchase(
            key: space.key("payment"), transactionID: TransactionID("payment"), isOriginal: true,
            productID: ProductID("link"), type: .oneTime, purchasedAt: "01-01", quantity: quantity,
            signedAt: signedAt, eventID: event)
    }

    @Test func `a takeback that is recorded already tells nothing new, whoever has the purchase`() {
        let payment = PurchaseNumber("charge", meaning: "payment")
        let first = [Self.bought()]
        let both = first + Self.takeback().statements(about: first, paying: nil).compactMap(\.state)
        #expect(both.count == 2)
        for (states, outcome) in [(first, "applied - 1 at payment"), (both, "duplicate - 1 at payment")] {
            let unowned = [both[0].key: PurchaseHistory.KnownPurchase(states: states)]
            #expect(Self.place(knowing: payment, of: unowned) == "parked no_user 1 at payment")
            let story = states.reduce(Story()) { $0.records($1, at: "01-10") }
            let owned = [both[0].key: PurchaseHistory.KnownPurchase(owner: .alice)]
            #expect(Self.place(knowing: payment, of: owned, in: [.alice: story.ledger]) == outcome)
        }
    }

    @Test func `a takeback is about what the first state of a payment states, in whatever order they came`() {
        let states = [
            Self.bought(), Self.bought(quantity: 2, event: "e"),
            Self.bought(quantity: 3, signedAt: "01-02", event: "c"),
        ]
        for states in [states, states.reversed()] {
            let told = Self.takeback().statements(about: states, paying: nil)
            #expect(told.compactMap { $0.state?.quantity } == [1])
        }
    }

    @Test(arguments: [(0, false), (1, false), (99_999, false), (100_000, true)])
    func `a part of a payment takes nothing of a period, and its share of what was bought once`(
        share: Int, isWhole: Bool
    ) {
        let takeback = Self.takeback(share)
        let period = takeback.statements(about: [Self.month], paying: [TransactionID("m1")]).map(\.state?.revocation)
        #expect(period == [isWhole ? takeback.revocation : nil])
        let once = takeback.statements(about: [Self.bought()], paying: nil).map(\.state?.revocation)
        #expect(once == [takeback.revocation])
    }

    @Test func `a takeback is written without names, and read again`() {
        for share in [nil, 0, 50_000, Revocation.fullShare] {
            for payment in [nil, 999] as [Int64?] {
                let revocation = share.map { Revocation(revokedAt: "01-10", share: $0, payment: payment) }
                let takeback = Takeback(
                    numbers: ["ch_1", "pi_1"], id: TransactionID("ch_1"), revocation: revocation, signedAt: "01-11",
                    eventID: "evt")
                #expect(Takeback(text: takeback.text) == takeback)
            }
        }
        for text in ["", "100000 1 2 999 evt", "x 1 2 - evt ch_1", "100000 1 x - evt ch_1", "100000 1 2 x evt ch_1"] {
            #expect(Takeback(text: text) == nil, "\(text)")
        }
    }
}
