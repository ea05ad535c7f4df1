import Entitlements
import Testing

/// Every refusal of a credit act stands one point from an act that is accepted (`semantics.md` §4).
@Suite struct CreditRefusalTests {
    private static let story = Story().credits("c", at: "01-01")
    private static let inDebt = story.spends(70, at: "01-02").refunds("c", at: "01-03")
    private static let note = Note(actor: "key 1", reference: "order 7")
    private static let day: Int64 = Instant.millisecondsPerDay

    @Test func `amounts and times have limits`() {
        #expect(
            [0, 1, 1_000_000_000_000, 1_000_000_000_001, -1].map { CreditAmount($0)?.units } == [
                nil, 1, 1_000_000_000_000, nil, nil,
            ])
        #expect(
            [0, 1, 2_592_000, 2_592_001, -1].map { ReservationTime(seconds: $0) != nil } == [
                false, true, true, false, false,
            ])
    }

    @Test func `a spend of everything is the largest`() {
        #expect(Self.refusal(Self.story.asking(toSpend: 100, "key", at: "01-02")) == nil)
        #expect(Self.refusal(Self.story.asking(toSpend: 101, "key", at: "01-02")) == .insufficientCredits)
        #expect(Self.refusal(Self.story.asking(toReserve: "r", 100, at: "01-02")) == nil)
        #expect(Self.refusal(Self.story.asking(toReserve: "r", 101, at: "01-02")) == .insufficientCredits)
    }

    @Test func `a refused spend records nothing`() {
        #expect(Self.story.asking(toSpend: 101, "key", at: "01-02").drafts.isEmpty)
        #expect(Self.story.asking(toReserve: "r", 101, at: "01-02").drafts.isEmpty)
    }

    @Test func `in debt nothing is drawn, however little`() {
        #expect(Self.refusal(Self.inDebt.asking(toSpend: 1, "key", at: "01-03")) == .inDebt)
        #expect(Self.refusal(Self.inDebt.asking(toReserve: "r", 1, at: "01-03")) == .inDebt)
        let repaid = Self.inDebt.credits("d", at: "01-04")
        #expect(Self.refusal(repaid.asking(toSpend: 30, "key", at: "01-04")) == nil)
        #expect(Self.refusal(repaid.asking(toSpend: 31, "key", at: "01-04")) == .insufficientCredits)
    }

    @Test func `a unit that nobody ever sold is unknown`() {
        let spends = { (unit: String) in
            Self.refusal(
                Self.story.asking(toSpend: 1, "key", from: Purse(unit: unit, environment: .production), at: "01-02"))
        }
        #expect(spends("credit") == nil)
        #expect(spends("token") == .insufficientCredits, "sold, though this user has none")
        #expect(spends("tokens") == .unknownUnit)
        let granted = Self.story.grants("g", 1, unit: "tokens", until: nil, at: "01-01")
        let tokens = Purse(unit: "tokens", environment: .production)
        #expect(Self.refusal(granted.asking(toSpend: 1, "key", from: tokens, at: "01-02")) == nil)
    }

    @Test func `sandbox credits are spent only by whom sandbox counts`() {
        let story = Self.story.credits("s", at: "01-01", environment: .sandbox)
        let spend = { story.asking(toSpend: 1, "key", from: .sandbox, at: "01-02", settings: $0) }
        #expect(Self.refusal(spend(.everyone)) == nil)
        #expect(Self.refusal(spend(.production)) == .insufficientCredits)
        #expect(Self.refusal(story.asking(toSpend: 101, "key", at: "01-02")) == .insufficientCredits)
    }

    @Test func `refusals are tried in their order`() {
        let other = Purse(unit: "other", environment: .production)
        let spent = Self.story.spends(70, "used", at: "01-02").refunds("c", at: "01-03")
        #expect(Self.refusal(spent.asking(toSpend: 1000, "used", from: other, at: "01-03")) == .keyReused)
        #expect(Self.refusal(spent.asking(toSpend: 1000, "new", from: other, at: "01-03")) == .unknownUnit)
        #expect(Self.refusal(spent.asking(toSpend: 1000, "new", at: "01-03")) == .inDebt)
        #expect(DrawRefusal.allCases == [.keyReused, .unknownUnit, .inDebt, .insufficientCredits])
    }

    @Test func `a repeated key gives the first answer for ever`() throws {
        let first = Self.story.asking(toSpend: 70, "key", note: Self.note, at: "01-02")
        let story = Self.story.following(first, at: "01-02").credits("d", at: "01-03").spends(20, at: "01-04")
            .refunds("c", at: "01-05").refunds("d", at: "01-05")
        let again = story.asking(toSpend: 70, "key", note: Note(actor: "key 2", reference: "order 7"), at: "2030-01-01")
        #expect(try again.answer.get() == first.answer.get())
        #expect(try again.answer.get().spendable == 30 && again.answer.get().debt == 0)
        #expect(again.drafts.isEmpty)
        let reservation = Self.story.asking(toReserve: "r", 10, "key", seconds: 60, at: "01-02")
        let later = Self.story.following(reservation, at: "01-02")
            .asking(toReserve: "another", 10, "key", seconds: 60, at: "01-04")
        #expect(try later.answer.get() == reservation.answer.get() && later.drafts.isEmpty)
        #expect(try later.answer.get().id == ReservationID("r"))
    }

    @Test func `a repeat is the same key and the same request, and nothing else is compared`() throws {
        let ask = { (story: Story, amount: Int, request: Label) in
            DrawCredits(.of(amount), from: .credit, of: .alice, idempotencyKey: "key", request: request)
                .spend(given: story.ledger.history(now: "01-02"), in: Story.catalogue, under: .everyone)
        }
        let first = ask(Self.story, 7, "request")
        let story = Self.story.following(first, at: "01-02")
        #expect(try ask(story, 8, "request").answer.get() == first.answer.get())
        #expect(Self.refusal(ask(story, 7, "another")) == .keyReused)
        let reserved = DrawCredits(.of(7), from: .credit, of: .alice, idempotencyKey: "key", request: "request")
            .reserve(
                for: .of(60), as: ReservationID("r"), given: story.ledger.history(now: "01-02"), in: Story.catalogue,
                under: .everyone)
        #expect(Self.refusal(reserved) == .keyReused)
    }

    @Test func `a key with another body is refused`() {
        let spent = Self.story.credits("s", at: "01-01", environment: .sandbox)
            .following(Self.story.asking(toSpend: 7, "key", note: Self.note, at: "01-02"), at: "01-02")
        #expect(Self.refusal(spent.asking(toSpend: 7, "key", note: Self.note, at: "01-02")) == nil)
        let other = Note(actor: "key 1", reference: "order 8")
        #expect(Self.refusal(spent.asking(toSpend: 8, "key", note: Self.note, at: "01-02")) == .keyReused)
        #expect(Self.refusal(spent.asking(toSpend: 7, "key", note: other, at: "01-02")) == .keyReused)
        #expect(Self.refusal(spent.asking(toSpend: 7, "key", at: "01-02")) == .keyReused)
        #expect(
            Self.refusal(spent.asking(toSpend: 7, "key", from: .sandbox, note: Self.note, at: "01-02")) == .keyReused)
        #expect(Self.refusal(spent.asking(toReserve: "r", 7, "key", note: Self.note, at: "01-02")) == .keyReused)
        let reserved = Self.story.following(
            Self.story.asking(toReserve: "r", 7, "key", seconds: 60, at: "01-02"), at: "01-02")
        #expect(Self.refusal(reserved.asking(toReserve: "r", 7, "key", seconds: 60, at: "01-02")) == nil)
        #expect(Self.refusal(reserved.asking(toReserve: "r", 7, "key", seconds: 61, at: "01-02")) == .keyReused)
        #expect(Self.refusal(reserved.asking(toReserve: "r", 8, "key", seconds: 60, at: "01-02")) == .keyReused)
        #expect(Self.refusal(reserved.asking(toSpend: 7, "key", at: "01-02")) == .keyReused)
    }

    @Test func `a refusal is not remembered`() {
        let refused = Self.story.following(Self.story.asking(toSpend: 150, "key", at: "01-02"), at: "01-02")
        let story = refused.credits("d", at: "01-03")
        #expect(Self.refusal(story.asking(toSpend: 150, "key", at: "01-03")) == nil)
        #expect(Self.refusal(refused.asking(toSpend: 50, "key", at: "01-03")) == nil, "nor is its body")
    }

    @Test func `a reservation is committed once and before its deadline`() throws {
        let held = Self.story.reserves("r", 60, seconds: 86_400, at: "01-02")
        let commits = { Self.refusal(held.asking(toCommit: $0, $1, at: $2)) }
        #expect(commits("r", nil, "01-02 23:59:59.999") == nil)
        #expect(commits("r", nil, "01-03") == .reservationEnded)
        #expect(commits("r", 60, "01-02") == nil)
        #expect(commits("r", 61, "01-02") == .exceedsReservation)
        #expect(commits("q", nil, "01-02") == .unknownReservation)
        let receipt = try held.asking(toCommit: "r", 25, at: "01-02").answer.get()
        #expect(receipt.draws.map(\.text) == ["c 25"])
        #expect(receipt.spent == 25 && receipt.spendable == 75 && receipt.debt == 0)
    }

    @Test func `a commitment is repeated only with its amount`() throws {
        let committed = Self.story.reserves("r", 60, seconds: 86_400, at: "01-02").commits("r", 25, at: "01-02")
        let again = committed.asking(toCommit: "r", 25, at: "02-01")
        #expect(try again.answer.get().spent == 25 && again.drafts.isEmpty)
        #expect(Self.refusal(committed.asking(toCommit: "r", 26, at: "01-02")) == .alreadyCommitted)
        #expect(Self.refusal(committed.asking(toCommit: "r", at: "01-02")) == .alreadyCommitted)
        #expect(Self.refusal(committed.asking(toRelease: "r", at: "01-02")) == .alreadyCommitted)
    }

    @Test func `a release is repeated and not committed`() throws {
        let held = Self.story.reserves("r", 60, seconds: 86_400, at: "01-02")
        let released = held.releases("r", at: "01-02")
        #expect(Self.refusal(held.asking(toRelease: "q", at: "01-02")) == .unknownReservation)
        #expect(try held.asking(toRelease: "r", at: "01-02").answer.get().spendable == 100)
        #expect(released.asking(toRelease: "r", at: "02-01").drafts.isEmpty)
        #expect(try released.asking(toRelease: "r", at: "02-01").answer.get().spendable == 100)
        #expect(Self.refusal(released.asking(toCommit: "r", at: "01-02")) == .alreadyReleased)
        let ended = held.asking(toRelease: "r", at: "01-03")
        #expect(try ended.answer.get().spendable == 100 && ended.drafts.isEmpty, "it is free already")
    }

    @Test func `what is held when debt arises may still be committed`() throws {
        let story = Self.story.reserves("r", 60, at: "01-02").refunds("c", at: "01-03")
        let receipt = try story.asking(toCommit: "r", at: "01-04").answer.get()
        #expect(receipt.spent == 60 && receipt.spendable == 0 && receipt.debt == 60)
        #expect(try story.asking(toCommit: "r", 20, at: "01-04").answer.get().debt == 20)
    }

    @Test func `what a clock ahead of ours sold can be spent at once`() throws {
        let minutes: Int64 = 60_000
        let bought = { Story().credits("c", at: "01-01" + $0, attachedAt: "01-01") }
        let spend = bought(5 * minutes).asking(toSpend: 40, "key", at: "01-01")
        #expect(Self.refusal(spend) == nil)
        #expect(Self.refusal(bought(5 * minutes + 1).asking(toSpend: 40, "key", at: "01-01")) == .insufficientCredits)
        let story = bought(5 * minutes).following(spend, at: "01-01")
        #expect(story.balances(at: "01-01").isEmpty, "neither credited nor spent yet")
        #expect(story.balances(at: "01-01" + 5 * minutes) == ["60 = 100 credited − 40 spent"])
        #expect(try story.asking(toSpend: 60, "next", at: "01-01" + 1).answer.get().spendable == 0)
        #expect(Self.refusal(story.asking(toSpend: 61, "next", at: "01-01" + 1)) == .insufficientCredits)
    }

    @Test func `an act never holds before the act before it`() {
        let story = Self.story.spends(10, at: "01-05").spends(20, at: "01-04")
        #expect(story.ledger.entries.suffix(2).map(\.effectiveAt) == ["01-05", "01-05"])
    }

    private static func refusal<Reply, Refusal>(_ decision: Decision<Reply, Refusal>) -> Refusal? {
        guard case .failure(let refusal) = decision.answer else { return nil }
        return refusal
    }
}
