import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import Logging
import ServiceLifecycle
import StoreSimulator

/// The simulated App Store, driven by the installation's clock. It renews and ends plans when they are due, and retries
/// notifications that the server did not accept.
///
/// The store works through its events one after the other, in the order of their due times. The installation stores the
/// instant up to which all are done. So events that fall due while no server runs are caught up by the next server. A
/// period that ends before that instant, because it was sold with an early `--at`, is renewed or ended only by a
/// command.
actor SimulatedStore: Service, DevelopmentClock {
    /// The next event of the store.
    private enum Due {
        case turn(KeptSubscription, SimulatedSubscription.Turn)
        case delivery(KeptDelivery)

        var name: String {
            switch self {
            case .turn(let kept, _): "\(kept.user): plan \(kept.subscription.originalTransactionId)"
            case .delivery(let delivery): "notification \(delivery.uuid)"
            }
        }
    }

    private static let pause = Duration.seconds(1)
    /// The time after which a run through the due events begins no further event. So a request to put the clock forward
    /// need not wait long.
    private static let longestPass = Duration.seconds(20)

    let installation: Installation
    private let catalogue: Catalogue
    let clock: TestClock
    private let logger: Logger
    /// The instant up to which all events are done.
    private var doneUntil: Instant
    /// The events that were logged. A failed event is retried every second and logged once.
    private var logged: Set<SimulatedHappening> = []
    private var last: Task<ClockAdvance, any Error>?

    init(_ installation: Installation, selling catalogue: Catalogue, by clock: TestClock, logger: Logger) {
        self.installation = installation
        self.catalogue = catalogue
        self.clock = clock
        self.logger = logger
        doneUntil = installation.storeDoneUntil ?? clock.now()
        installation.endFaults()
    }

    nonisolated var now: Instant { clock.now() }
    nonisolated var lead: Int64 { clock.lead }

    /// Does what is due, every second, until the process is to end. Throws an error of the file system at the end.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.pause)  // cancelled: the loop ends
                do {
                    for happening in try await self.pass().happened { await self.log(happening) }
                } catch {
                    self.logger.warning("the simulated store failed", metadata: ["error": "\(error)"])
                }
            }
        }
        try installation.keep(storeDoneUntil: doneUntil)
    }

    private func log(_ happening: SimulatedHappening) {
        guard logged.insert(happening).inserted else { return }
        logger.info("the simulated store", metadata: ["event": "\(happening.words)"])
    }

    /// Puts the clock forward by `milliseconds` and does whatever falls due on the way. It begins no new event once
    /// `patience` is over; the wait for earlier runs counts towards `patience`. Throws an error of the file system, or
    /// an error if a file is broken.
    func advance(by milliseconds: Int64, within patience: Duration) async throws -> ClockAdvance {
        let end = ContinuousClock.now + patience
        return try await inTurn {
            let lead = self.clock.lead + milliseconds
            let advance = try await self.pass(until: self.clock.now() + milliseconds, begunBefore: end)
            // Real time that passed meanwhile is not subtracted. So two advances put the clock as far forward as one of
            // both lengths.
            if advance.remaining == 0 { try self.clock.advance(toLead: lead) }
            return advance
        }
    }

    private func pass() async throws -> ClockAdvance {
        try await inTurn {
            try await self.pass(until: self.clock.now(), begunBefore: ContinuousClock.now + Self.longestPass)
        }
    }

    /// Runs `act` after all acts that were begun before.
    private func inTurn(_ act: @escaping @Sendable () async throws -> ClockAdvance) async throws -> ClockAdvance {
        let before = last
        let task = Task {
            _ = await before?.result
            return try await act()
        }
        last = task
        return try await task.value
    }

    private func pass(
        until end: Instant, begunBefore deadline: ContinuousClock.Instant
    ) async throws -> ClockAdvance {
        var happened: [SimulatedHappening] = []
        var failed: Set<String> = []
        var reached = end
        while let (due, at) = try next(until: end, but: failed) {
            guard ContinuousClock.now < deadline else {
                reached = min(clock.now(), end)
                break
            }
            try clock.advance(to: at)
            do {
                happened.append(try await perform(due, at: at))
            } catch {
                failed.insert(due.name)
                happened.append(SimulatedHappening(at: at, words: due.name, result: "failed: \(error)"))
            }
        }
        try clock.advance(to: reached)
        // If a renewal or an end failed, it stays undone, and the next run does it again.
        let undone = try turns(until: reached).map(\.at).min()
        doneUntil = undone.map { $0 + -1 } ?? reached
        if !happened.isEmpty { try installation.keep(storeDoneUntil: doneUntil) }
        return ClockAdvance(happened: happened, remaining: end - reached)
    }

    /// The first event that is due by `end` and has not failed in this run.
    private func next(until end: Instant, but failed: Set<String>) throws -> (due: Due, at: Instant)? {
        let deliveries = try KeptDelivery.all(in: installation).compactMap { kept -> (due: Due, at: Instant)? in
            kept.dueAt.map { (.delivery(kept), Instant(milliseconds: $0)) }
        }
        return (try turns(until: end) + deliveries.filter { $0.at <= end })
            .filter { !failed.contains($0.due.name) }.min { $0.at < $1.at }
    }

    /// The next renewal or end of each plan that is due by `end`.
    private func turns(until end: Instant) throws -> [(due: Due, at: Instant)] {
        try KeptSubscription.all(in: installation).compactMap { kept in
            guard let next = kept.subscription.nextTurn, next.at > doneUntil.milliseconds, next.at <= end.milliseconds
            else { return nil }
            return (.turn(kept, next.turn), Instant(milliseconds: next.at))
        }
    }

    private func perform(_ due: Due, at instant: Instant) async throws -> SimulatedHappening {
        switch due {
        case .delivery(let delivery): return try await attempt(delivery, at: instant)
        case .turn(var kept, let turn):
            let event = try event(of: turn, to: &kept)
            let appID = kept.subscription.buyer.bundleId
            let notification = try event.notification(
                uuid: Surroundings.accountToken().description.lowercased(),
                appAppleId: appleID(of: appID),
                signedBy: try installation.authority())
            let delivery = KeptDelivery(
                notification.notificationUUID, try installation.authority().sign(notification).text,
                in: event.environment, about: "\(kept.user): \(turn.words) \(kept.subscription.newest.words)",
                signedAt: event.signedDate)
            // The notification is stored first. If the process ends here, it is delivered again, and the server
            // recognizes it by its UUID.
            try delivery.due(at: instant).keep(in: installation)
            try kept.keep(in: installation)
            return try await attempt(delivery, at: instant)
        }
    }

    private func event(
        of turn: SimulatedSubscription.Turn, to kept: inout KeptSubscription
    ) throws -> SimulatedEvent {
        let at = kept.subscription.nextTurn?.at ?? clock.now().milliseconds
        switch turn {
        case .expire: return try kept.subscription.expire(at: at)
        case .endGrace: return try kept.subscription.endGrace(at: at)
        case .renew:
            let plan = try PlanOnSale(kept.subscription.nextProductId, in: catalogue)
            return try kept.subscription.renew(
                as: SoldPurchase.newTransactionID(), until: plan.end(from: at, days: kept.days), at: at)
        }
    }

    /// The app's number in the App Store; nil if the catalogue has none.
    func appleID(of app: String) -> Int64? { catalogue.apps.first { $0.id.text == app }?.appleID }

    private func attempt(_ delivery: KeptDelivery, at instant: Instant) async throws -> SimulatedHappening {
        let server = try RunningServer(on: installation)
        let answer = try await delivery.attempt(on: server, at: instant)
        return SimulatedHappening(at: instant, words: delivery.words, result: answer.words)
    }
}

extension SimulatedSubscription.Turn {
    fileprivate var words: String {
        switch self {
        case .renew: "renewed"
        case .endGrace: "grace is over for"
        case .expire: "ended"
        }
    }
}
