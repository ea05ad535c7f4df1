import EntitlementAPI
import Entitlements
import LedgerStore
import StripeBilling

/// Fetches the events that Stripe lists and no webhook brought, and processes them as the webhook would.
///
/// Each page is processed when it arrives, its oldest event first. So the processed events stay if the next page cannot
/// be read. The order of events does not matter, and processing an event again changes nothing.
struct StripeReconciliation {
    let list: StripeEventList
    let store: Store
    let rules: ClaimRules
    let cards: CardReader
    /// True if new events are only counted.
    let isDry: Bool
    /// Called with the report after each page but the last.
    let note: (ReconciliationReport) -> Void

    /// A delivery that could not be placed yet. The event that it waits for may be older, and so on a later page.
    private struct Waiting {
        let delivery: UInt64
        let outcome: DeliveryOutcome
    }

    /// Processes the list after `report.end`. The report is right also if an error ends the run early.
    ///
    /// - Throws: ``StripeEventList/Failure``, or the error of a database that cannot be reached.
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

    /// Processes a page. Returns the deliveries that could not be placed yet, the oldest first.
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
            guard !isDry else {
                report.left += 1
                continue
            }
            let stored = try await store.inbox.receive(cards.delivery(event, written: text, under: store.labels))
            let outcome =
                stored.outcome.isSettled
                ? stored.outcome : try await place(cards.read(event, under: store.labels), as: stored.id)
            report.outcomes[outcome, default: 0] += 1
            if !outcome.isSettled { waiting.append(Waiting(delivery: stored.id, outcome: outcome)) }
        }
        return waiting
    }

    private func place(_ delivery: ReadDelivery, as id: UInt64) async throws -> DeliveryOutcome {
        try await Inbox.place(delivery, as: id, under: rules, in: store.ledger)
    }

    /// The ids of those `events` that are in the inbox. Only ids are compared, because Stripe may write the same event
    /// differently in the list (`stripe.md` §6).
    private func known(_ events: [VerifiedEvent]) async throws -> [StoreEnvironment: Set<String>] {
        var known: [StoreEnvironment: Set<String>] = [:]
        for (environment, events) in Dictionary(grouping: events, by: \.environment) {
            let space = NumberSpace(source: .stripe, app: .cards, environment: environment)
            known[environment] = try await store.inbox.known(events.map(\.id), in: space)
        }
        return known
    }

    /// Places the waiting events again after all older events were processed. Placing one may settle others, and a
    /// running server may have placed some already. So the final outcomes are read from the inbox.
    private func placeAgain(_ waiting: [Waiting], _ report: inout ReconciliationReport) async throws {
        for waiting in waiting {
            guard let text = try await store.inbox.content(of: waiting.delivery)?.text else { continue }
            _ = try await place(cards.read(text, under: store.labels), as: waiting.delivery)
        }
        for waiting in waiting {
            let outcome = try await store.inbox.outcome(of: waiting.delivery) ?? waiting.outcome
            report.outcomes[waiting.outcome, default: 0] -= 1
            report.outcomes[outcome, default: 0] += 1
        }
    }
}
