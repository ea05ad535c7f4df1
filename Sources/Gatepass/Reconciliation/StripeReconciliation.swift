import EntitlementAPI
import Entitlements
import LedgerStore
import StripeBilling

/// Takes the events that Stripe lists and that no webhook brought, as the webhook would have taken them.
///
/// Each page is taken when it comes, its oldest event first, so what was taken stays when the next page cannot be had.
/// Their order decides nothing, and taking them again changes nothing.
struct StripeReconciliation {
    let list: StripeEventList
    let store: Store
    let rules: ClaimRules
    let cards: CardReader
    /// Learns how far it is after each page but the last.
    let note: (ReconciliationReport) -> Void

    /// A delivery that could not be placed, because what it waits for may be older.
    private struct Waiting {
        let delivery: UInt64
        let standing: DeliveryStanding
    }

    /// Goes through the list behind `report.end`. The report says what it comes to, also where it is cut off.
    ///
    /// - Throws: ``StripeEventList/Failure``, and when the database is away.
    func run(_ report: inout ReconciliationReport) async throws {
        var ends = Set([report.end].compactMap(\.self))
        var waiting: [[Waiting]] = []
        var hasMore = true
        while hasMore {
            let page = try await list.page(after: report.end)
            if let end = page.end, !ends.insert(end).inserted {
                throw StripeEventList.Failure.unreadable("it begins again")
            }
            waiting.append(try await take(page, &report))
            report.pages += 1
            report.end = page.end ?? report.end
            hasMore = page.hasMore
            if hasMore { note(report) }
        }
        try await placeAgain(waiting.reversed().flatMap(\.self), &report)
        report.isComplete = true
    }

    /// Takes a page; what could not be placed yet, the oldest first.
    private func take(_ page: EventPage, _ report: inout ReconciliationReport) async throws -> [Waiting] {
        var events: [(event: VerifiedEvent, text: [UInt8])] = []
        for entry in page.entries.reversed() {
            do throws(VerifiedEvent.Malformed) {
                events.append((try VerifiedEvent.read(listed: entry.text), entry.text))
            } catch {
                report.unreadable.append((entry.id, error.defect))
            }
        }
        let known = try await known(events.map(\.event))
        var waiting: [Waiting] = []
        for (event, text) in events {
            guard known[event.environment]?.contains(event.id) != true else {
                report.known += 1
                continue
            }
            let stored = try await store.inbox.receive(cards.delivery(event, written: text, under: store.labels))
            let standing =
                stored.standing.isSettled
                ? stored.standing : try await place(cards.read(event, under: store.labels), as: stored.id)
            report.standings[standing, default: 0] += 1
            if !standing.isSettled { waiting.append(Waiting(delivery: stored.id, standing: standing)) }
        }
        return waiting
    }

    private func place(_ delivery: ReadDelivery, as id: UInt64) async throws -> DeliveryStanding {
        try await Inbox.place(delivery, as: id, under: rules, in: store.ledger)
    }

    /// The ids of `events` that the inbox has. The delivery under such an id may be written otherwise (`stripe.md` §6),
    /// so nothing is compared.
    private func known(_ events: [VerifiedEvent]) async throws -> [StoreEnvironment: Set<String>] {
        var known: [StoreEnvironment: Set<String>] = [:]
        for (environment, events) in Dictionary(grouping: events, by: \.environment) {
            let space = NumberSpace(source: .stripe, app: .cards, environment: environment)
            known[environment] = try await store.inbox.known(events.map(\.id), in: space)
        }
        return known
    }

    /// Places waiting events again, once everything older has come. An event may settle others, and a server that runs
    /// beside may have been first. So in the end the inbox tells what became of each.
    private func placeAgain(_ waiting: [Waiting], _ report: inout ReconciliationReport) async throws {
        for waiting in waiting {
            guard let text = try await store.inbox.content(of: waiting.delivery)?.text else { continue }
            _ = try await place(cards.read(text, under: store.labels), as: waiting.delivery)
        }
        for waiting in waiting {
            let standing = try await store.inbox.standing(of: waiting.delivery) ?? waiting.standing
            report.standings[waiting.standing, default: 0] -= 1
            report.standings[standing, default: 0] += 1
        }
    }
}
