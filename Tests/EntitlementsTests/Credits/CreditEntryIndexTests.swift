import Testing

@testable import Entitlements

/// A key and a reservation are found among any number of acts (`semantics.md` §4).
@Suite struct CreditEntryIndexTests {
    private static let places = [0, 1, 255, 256, 511, 512, 513, 767, 768, 1_023, 1_024, 1_099]

    /// A user who has spent one unit 1,100 times, and reserved as often; of those reservations that were made in turn
    /// every third is held, every third committed and every third released.
    private static let told: Story = {
        let key = PurchaseKey(
            source: .appleIAP, app: .vpn, environment: .production, externalID: ExternalID("c"))
        let draws = [Draw(lot: key, amount: 1)]
        var facts: [Fact] = []
        for number in 0..<1_100 {
            let id = ReservationID("r\(number)")
            let spend = Spend(
                idempotencyKey: Label("s\(number)"), request: .asking(1, Purse.credit, "", ""), purse: .credit,
                amount: 1,
                draws: draws, spendableAfter: 5_000 - number)
            let reservation = Reservation(
                id: id, idempotencyKey: Label("r\(number)"), request: .asking(1, Purse.credit, 60, "", ""),
                purse: .credit, amount: 1, expiresAt: "02-01", draws: draws)
            facts += [.credit(.spent(spend)), .credit(.reserved(reservation))]
            if number % 3 == 1 { facts.append(.credit(.committed(id, amount: 1))) }
            if number % 3 == 2 { facts.append(.credit(.released(id))) }
        }
        return Story().credits("c", at: "01-01", quantity: 50).adding(facts, at: "01-02")
    }()

    private static let keptThroughout: Story = {
        var story = Story().credits("c", at: "01-01", quantity: 50)
        story.ledger.keepFold(given: Story.catalogue, settings: .everyone)
        let entries = told.ledger.entries
        story.ledger.append(contentsOf: entries[story.ledger.entries.count...])
        #expect(story.ledger.isFolded)
        return story
    }()

    /// The ledger, folded anew or kept throughout; a test that took it as an argument would print all of it.
    private static func story(isKept: Bool) -> Story { isKept ? keptThroughout : told }

    @Test(arguments: [false, true], places)
    func `a repeat gives the first answer and another request is refused`(isKept: Bool, _ place: Int) {
        let story = Self.story(isKept: isKept)
        let again = story.asking(toSpend: 1, "s\(place)", at: "01-03")
        #expect(again.changesNothing && (try? again.answer.get())?.spendable == 5_000 - place)
        #expect(story.asking(toSpend: 2, "s\(place)", at: "01-03").answer == .failure(.keyReused))
        #expect(story.asking(toSpend: 1, "r\(place)", at: "01-03").answer == .failure(.keyReused))
    }

    @Test(arguments: [false, true], places)
    func `what became of a reservation is known`(isKept: Bool, _ place: Int) {
        let (story, id) = (Self.story(isKept: isKept), "r\(place)")
        let (commit, release) = (story.asking(toCommit: id, at: "01-03"), story.asking(toRelease: id, at: "01-03"))
        switch place % 3 {
        case 0: #expect(!commit.changesNothing && !release.changesNothing)
        case 1: #expect(commit.changesNothing && release.answer == .failure(.alreadyCommitted))
        default: #expect(release.changesNothing && commit.answer == .failure(.alreadyReleased))
        }
        #expect(story.asking(toCommit: id, at: "02-02").drafts.isEmpty, "its deadline has passed")
    }

    @Test func `a name that nobody gave is not found`() {
        #expect(Self.told.asking(toCommit: "r1100", at: "01-03").answer == .failure(.unknownReservation))
        #expect(!Self.told.asking(toSpend: 1, "s1100", at: "01-03").changesNothing)
    }
}
