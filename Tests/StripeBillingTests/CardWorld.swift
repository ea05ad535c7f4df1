import Entitlements
import StripeBilling

/// Keeps what events say as the ledger does, without a database: statements once and in the order of their arrival,
/// what numbers mean, and what waits for them. One user has everything.
///
/// Events and statements are places in its library, so that worlds are compared quickly.
struct CardWorld: Hashable {
    private let library: CardLibrary
    private var statements: [Int] = []
    private var links: Set<Int> = []
    private var parked: Set<Int> = []
    private(set) var told: Set<Int> = []

    init(of library: CardLibrary) { self.library = library }

    static func == (left: CardWorld, right: CardWorld) -> Bool {
        left.statements == right.statements && left.links == right.links && left.parked == right.parked
            && left.told == right.told
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(statements)
        hasher.combine(told)
    }

    /// Tells the event at a place of the library, perhaps again.
    mutating func take(_ event: Int) {
        told.insert(event)
        links.formUnion(library.events[event].links)
        keep(library.events[event].statements)
        if library.events[event].takeback != nil { parked.insert(event) }
        for event in parked.sorted() {
            guard let takeback = library.events[event].takeback else { continue }
            let (made, isWhole) = statements(of: takeback)
            keep(made)
            if isWhole { parked.remove(event) }
        }
    }

    private mutating func keep(_ new: [Int]) {
        for statement in new where !statements.contains(statement) { statements.append(statement) }
    }

    /// What is known by now of what a takeback takes, and whether that is all.
    private func statements(of takeback: Takeback) -> (made: [Int], isWhole: Bool) {
        var made: [Statement] = []
        var isWhole = true
        var next = takeback.numbers
        while let number = next.popLast() {
            let meanings = links.map { library.links[$0] }.filter { $0.number == number }
            var paid: [ExternalID: Set<TransactionID>] = [:]
            for meaning in meanings {
                if let transaction = meaning.transaction {
                    paid[ExternalID(meaning.target), default: []].insert(transaction)
                } else {
                    next.append(meaning.target)
                }
            }
            for (purchase, transactions) in paid {
                let told = takeback.statements(about: states(of: purchase), paying: transactions)
                isWhole = isWhole && told.count == transactions.count
                made += told
            }
            made += takeback.statements(about: states(of: ExternalID(number)), paying: nil)
        }
        return (made.map(library.place), isWhole && !made.isEmpty)
    }

    private func states(of purchase: ExternalID) -> [VerifiedPurchase] {
        statements.compactMap { library.statements[$0].state }.filter { $0.key.externalID == purchase }
    }

    /// What covers, past and planned, in days from `start`, and what is left over.
    func pieces(from start: Instant) -> [String] {
        var ledger = UserLedger(user: .erased(pseudonym: 1))
        let statements = statements.map { library.statements[$0] }
        let facts = statements.map { LedgerEntry.Draft(.stated($0), at: $0.signedAt) }
        let keys = Set(statements.map(\.key)).sorted().map { LedgerEntry.Draft(.bound($0), at: start) }
        ledger.append(facts + keys, at: start)
        let timeline = Timeline(
            folding: ledger, given: CardLibrary.catalogue, settings: EntitlementSettings(sandboxAccess: .everyone))
        let day = { (instant: Instant) in (instant - start) / Instant.millisecondsPerDay }
        let pieces = (timeline.planned + timeline.graces).map { piece in
            "\(piece.segment.tier) \(day(piece.segment.startsAt))..\(day(piece.segment.endsAt))"
        }
        return pieces + parked.sorted().map { "parked \($0)" }
    }
}
