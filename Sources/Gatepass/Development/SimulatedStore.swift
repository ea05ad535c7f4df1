import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import Logging
import ServiceLifecycle
import StoreSimulator

/// The simulated App Store as the installation's clock goes on: plans renew and end, and notifications that the server
/// did not take are tried again.
///
/// The store does one thing after the other, each when it is due by the clock. The installation remembers until when
/// everything was done, so that turns that fell due while no server ran are done by the next one. A plan that was sold
/// at an instant before that one, with `--at`, turns when somebody acts.
actor SimulatedStore: Service, DevelopmentClock {
    /// The next thing to do.
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
    /// Nothing more is begun in a pass after this time, so that who puts the clock forward need not wait long.
    private static let longestPass = Duration.seconds(20)

    private let installation: Installation
    private let catalogue: Catalogue
    private let clock: TestClock
    private let logger: Logger
    /// Until when everything was done.
    private var doneUntil: Instant
    /// The failures that are in the log; each is tried again every second.
    private var logged: Set<SimulatedHappening> = []
    private var last: Task<ClockAdvance, any Error>?

    init(_ installation: Installation, selling catalogue: Catalogue, by clock: TestClock, logger: Logger) {
        self.installation = installation
        self.catalogue = catalogue
        self.clock = clock
        self.logger = logger
        doneUntil = installation.storeDoneUntil ?? clock.now()
    }

    nonisolated var now: Instant { clock.now() }
    nonisolated var lead: Int64 { clock.lead }

    /// Does what is due as real time passes, until the process is to end. Throws what the file system refuses then.
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

    /// Has the clock go forward by `milliseconds`, and whatever is due on the way happen when it is due; `patience` is
    /// counted from now, waiting for what was begun before included. Throws what the file system refuses, and for a
    /// file that is broken.
    func advance(by milliseconds: Int64, within patience: Duration) async throws -> ClockAdvance {
        let end = ContinuousClock.now + patience
        return try await inTurn {
            let lead = self.clock.lead + milliseconds
            let advance = try await self.pass(until: self.clock.now() + milliseconds, begunBefore: end)
            // Time that passed meanwhile is not taken off, so two advances are as far as one of both lengths.
            if advance.remaining == 0 { try self.clock.advance(toLead: lead) }
            return advance
        }
    }

    private func pass() async throws -> ClockAdvance {
        try await inTurn {
            try await self.pass(until: self.clock.now(), begunBefore: ContinuousClock.now + Self.longestPass)
        }
    }

    /// After whatever was begun before.
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
        // A turn that failed, and those that follow it, are done again by the next pass.
        let undone = try turns(until: reached).map(\.at).min()
        doneUntil = undone.map { $0 + -1 } ?? reached
        if !happened.isEmpty { try installation.keep(storeDoneUntil: doneUntil) }
        return ClockAdvance(happened: happened, remaining: end - reached)
    }

    /// The first thing due by `end` that has not failed.
    private func next(until end: Instant, but failed: Set<String>) throws -> (due: Due, at: Instant)? {
        let deliveries = try KeptDelivery.all(in: installation).compactMap { kept -> (due: Due, at: Instant)? in
            kept.dueAt.map { (.delivery(kept), Instant(milliseconds: $0)) }
        }
        return (try turns(until: end) + deliveries.filter { $0.at <= end })
            .filter { !failed.contains($0.due.name) }.min { $0.at < $1.at }
    }

    /// The next turn of each plan that is due by `end`.
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
                appAppleId: catalogue.apps.first { $0.id.text == appID }?.appleID,
                signedBy: try installation.authority())
            let delivery = KeptDelivery(
                notification.notificationUUID, try installation.authority().sign(notification).text,
                in: event.environment, about: "\(kept.user): \(turn.words) \(kept.subscription.newest.words)",
                signedAt: event.signedDate)
            // First what is to be told: a process that ends here tells it again, and the server knows it by its name.
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
