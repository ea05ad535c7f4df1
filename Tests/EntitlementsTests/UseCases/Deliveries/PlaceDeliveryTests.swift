import Entitlements
import Testing

/// The outcome of a delivery, by what it tells and what was known before (`semantics.md` §5, §7).
@Suite struct PlaceDeliveryTests {
    private static let space = NumberSpace(source: .stripe, app: .cards, environment: .production)

    /// Such as `parked no_user c`: the outcome, why, and what the delivery waits for.
    private func check(
        isAboutPurchase: Bool = true, of owner: UserID? = nil, isEvidenceNew: Bool = false, is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation, _ tell: (inout DeliveryNews) -> Void = { _ in }
    ) {
        let key = Self.space.key("sub")
        var news = DeliveryNews(in: Self.space)
        news.about = isAboutPurchase ? key : nil
        tell(&news)
        let history = PurchaseHistory(
            now: "01-02", ledgers: [:], purchases: [key: .init(owner: owner)], tokenHolders: [:],
            isEvidenceNew: isEvidenceNew)
        let decision = PlaceDelivery(news, as: 1, under: ClaimRules()).decide(given: history)
        let outcome = decision.answer.get()
        let words = [outcome.result.rawValue, outcome.reason?.rawValue].compactMap(\.self)
        let awaited = decision.placement?.awaited ?? []
        #expect((words + awaited).joined(separator: " ") == expected, sourceLocation: sourceLocation)
    }

    @Test func `what is about no purchase is applied if it tells anything new, and else ignored`() {
        check(isAboutPurchase: false, is: "ignored")
        check(isAboutPurchase: false, isEvidenceNew: true, is: "applied")
        check(isAboutPurchase: false, is: "applied") { $0.numbers = [PurchaseNumber("invoice", meaning: "sub")] }
        check(isAboutPurchase: false, is: "ignored") { $0.users = [.alice] }
        check(isAboutPurchase: false, is: "ignored") { $0.customer = "c" }
        check(isAboutPurchase: false, is: "applied") { ($0.users, $0.customer) = ([.alice], "c") }
        check(isAboutPurchase: false, is: "ignored disputed") { $0.remark = .disputed }
        check(isAboutPurchase: false, isEvidenceNew: true, is: "applied disputed") { $0.remark = .disputed }
    }

    @Test func `what is about a purchase that somebody has is applied once`() {
        check(of: .alice, is: "duplicate")
        check(of: .alice, isEvidenceNew: true, is: "applied")
        check(of: .alice, is: "applied") { $0.numbers = [PurchaseNumber("invoice", meaning: "sub")] }
        check(of: .alice, is: "duplicate refund_failed") { $0.remark = .refundFailed }
        check(of: .alice, is: "duplicate invalid_user_id") { ($0.namesNoUserID, $0.remark) = (true, .disputed) }
        check(is: "applied") { ($0.users, $0.customer) = ([.alice], "c") }
    }

    @Test func `what is about a purchase of nobody waits for its customer, whatever it tells`() {
        check(is: "parked no_user")
        check(isEvidenceNew: true, is: "parked no_user")
        check(is: "parked no_user c") { $0.customer = "c" }
        check(is: "parked no_user") { $0.remark = .disputed }
        check(is: "parked invalid_user_id c") { ($0.namesNoUserID, $0.customer) = (true, "c") }
    }

    @Test func `a delivery is settled unless it waits or was given up`() {
        let settled = DeliveryResult.allCases.filter { DeliveryOutcome($0).isSettled }
        #expect(settled == [.applied, .duplicate, .ignored])
    }

    @Test func `nothing is done about what is ignored, though it tells something new`() {
        for owner in [nil, .alice] as [UserID?] {
            check(of: owner, isEvidenceNew: true, is: "ignored") { $0.isIgnored = true }
            check(isAboutPurchase: false, of: owner, isEvidenceNew: true, is: "ignored") { $0.isIgnored = true }
        }
    }
}
