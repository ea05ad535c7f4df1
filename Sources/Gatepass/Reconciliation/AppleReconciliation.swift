import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore

/// Asks Apple about everything that this server may have missed: the notifications that Apple lists, and the history of
/// each Apple account (`semantics.md` §6).
///
/// A find goes the way of a webhook or of a restore. The run is written down after each user, so a run that is
/// cut off goes on where it was.
struct AppleReconciliation {
    /// The number of people who are read from the database at once.
    private static let chunk = 100
    /// The pause after a failure that names no time, and how many in a row end the run.
    private static let pause = Duration.seconds(5)
    private static let maximumFailures = 12

    let store: Store
    let history: StoreHistory
    let notifications: NotificationHistory
    let apps: [AppID]
    let since: Instant?
    let user: UserID?
    let now: @Sendable () -> Instant
    /// Called after each user.
    let note: (Reconciliation) -> Void

    /// The reason why a run ended early.
    enum Failure: Error, CustomStringConvertible {
        case apple(String)
        case otherRun

        var description: String {
            switch self {
            case .apple(let reason): "Apple cannot be asked: \(reason)"
            case .otherRun: "another `gatepass reconcile apple` goes on with this run"
            }
        }
    }

    /// Runs to the end, and returns what was found.
    ///
    /// - Throws: ``Failure``, or `ServiceFailure` if the database cannot be reached.
    func run() async throws -> Reconciliation {
        guard var run = try await store.reconciliations.begin(since: since, ofOneUser: user != nil) else {
            throw ServiceFailure.notOpen
        }
        if run.place == 0, user == nil { try await takeNotifications(noting: &run) }
        var people: [(pseudonym: UInt64, user: UserID)] = []
        repeat {
            people = try await store.reconciliations.people(
                after: run.place, since: since, user: user, limit: Self.chunk)
            for person in people {
                let place = run.place
                try await walk(person.pseudonym, person.user, noting: &run)
                run.users += 1
                run.place = person.pseudonym
                guard try await store.reconciliations.note(run, after: place) else { throw Failure.otherRun }
                note(run)
            }
        } while !people.isEmpty
        guard try await store.reconciliations.note(run, after: run.place, isOver: true) else { throw Failure.otherRun }
        run.endedAt = now()
        return run
    }

    /// Takes the notifications that Apple lists of each app, and notes after each page how many were new. An
    /// environment in which Apple does not answer for an app is left out.
    ///
    /// - Throws: ``Failure`` if Apple answers for an app in no environment.
    private func takeNotifications(noting run: inout Reconciliation) async throws {
        for app in apps {
            var isAnswered = false
            for environment in StoreEnvironment.allCases {
                let end = now()
                var token: String?
                var read: Set<String?> = []
                repeat {
                    let page = try await patiently { () throws(StoreHistory.Failure) in
                        try await notifications.take(
                            of: app, in: environment, from: since ?? .distantPast, to: end, after: token)
                    }
                    guard let page else {
                        guard token == nil else { throw Failure.apple("its list of notifications broke off") }
                        break
                    }
                    isAnswered = true
                    if page.new > 0 {
                        run.notifications += page.new
                        guard try await store.reconciliations.note(run, after: run.place) else {
                            throw Failure.otherRun
                        }
                    }
                    token = page.token
                    // A list that leads back to a place would never end.
                } while token != nil && read.insert(token).inserted
            }
            guard isAnswered else { throw Failure.apple("it answers for \(app.text) in no environment") }
        }
    }

    private func walk(_ person: UInt64, _ user: UserID, noting run: inout Reconciliation) async throws {
        let ledger = try await store.reader.ledger(of: user)
        let walks = StoreHistory.walks(through: ledger, held: timeline(of: ledger), by: nil)
        guard !walks.isEmpty else { return }
        let begun = try await store.history.begin(walks, of: user, by: nil)
        guard begun != .recent, begun != .unknownUser else { return }
        var shown: Set<PurchaseKey> = []
        let walked = try await patiently { () throws(StoreHistory.Failure) in
            try await history.walk(for: person, showing: &shown)
        }
        let after = try await store.reader.ledger(of: user)
        let held = held(in: ledger)
        let isNew = after.entries.dropFirst(ledger.entries.count).compactMap(\.fact.statement)
        run.statements += isNew.count { held.contains($0.key) }
        run.purchases += walked?.recovered ?? 0
        guard walked?.isWhole == true else { return run.refused += 1 }
        // A walk that an earlier process began may have shown the rest.
        guard case .begun = begun else { return }
        let unlisted = held.intersection(self.held(in: after)).subtracting(shown).map(\.externalID.text).sorted()
        run.unlisted += unlisted.prefix(max(0, Reconciliation.maximumUnlisted - run.unlisted.count))
    }

    private func timeline(of ledger: UserLedger) -> Timeline {
        let context = store.foldContext
        return Timeline(folding: ledger, given: context.catalogue, settings: context.settings)
    }

    /// The purchases of the App Store that the user has.
    private func held(in ledger: UserLedger) -> Set<PurchaseKey> {
        let timeline = timeline(of: ledger)
        let keys = timeline.purchases.lazy.map(\.key).filter { $0.source == .appleIAP }
        return Set(keys.filter { timeline.position(ofHeld: $0) != nil })
    }

    /// Asks again while Apple is away or wants a pause. Returns nil if Apple refuses for good.
    ///
    /// - Throws: ``Failure`` after a minute of failures, or `ServiceFailure`.
    private func patiently<Answer>(_ ask: () async throws(StoreHistory.Failure) -> Answer) async throws -> Answer? {
        var failures = 0
        while true {
            do throws(StoreHistory.Failure) {
                return try await ask()
            } catch {
                switch error {
                case .service(let failure): throw failure
                case .apple(.keyNotAccepted): return nil
                case .apple(let failure) where failure.isFinal: return nil
                case .apple(.paused(until: let end)):
                    let pause = max(0, end - Surroundings.now())
                    try await Task.sleep(for: .milliseconds(pause))
                case .apple, .certificateStatus:
                    failures += 1
                    guard failures < Self.maximumFailures else { throw Failure.apple("\(error)") }
                    try await Task.sleep(for: Self.pause)
                }
            }
        }
    }
}
