import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle

/// Does jobs of one kind that are due. Each instance has a runner of each kind, and only one of them takes a job.
struct JobRunner: Service {
    /// The pause when no job is due, and while the database cannot be reached.
    private static let pause = Duration.seconds(1)

    let kind: JobKind
    let pool: Pool
    let store: StoreDoor
    let inbox: StoreInbox
    /// The access to Apple's history; nil without App Store credentials.
    let history: StoreHistory?
    /// Tells Apple what it asks for.
    let answers: StoreAnswers
    /// The access to Apple's list of notifications; nil without App Store credentials.
    let notifications: NotificationHistory?
    /// The clock by which questions to Apple fall due.
    let clock: WallClock
    let logger: Logger
    /// Called when an attempt at a job ends.
    let noteEnd: @Sendable (JobKind, _ isDone: Bool) -> Void

    /// The event that the runner waits for: the end of a job, or the end of a pause.
    private enum End {
        case job
        case pause
    }

    /// Works until the process is to end. Whenever a place is free, it takes the next jobs that are due. Throws
    /// nothing.
    func run() async throws {
        let jobs = Jobs(pool: pool, now: WallClock.real.now, jitter: Surroundings.pool.jitter)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: End.self) { group in
                var free = kind.places
                var isPausing = false
                while !Task.isCancelled {
                    // `try?` drops the error: if the database cannot be reached, the runner asks again after the pause.
                    let taken = free > 0 && store.isOpen ? (try? await jobs.take(free, of: kind)) ?? [] : []
                    free -= taken.count
                    for job in taken {
                        group.addTask {
                            await perform(job, of: jobs)
                            return .job
                        }
                    }
                    guard taken.isEmpty else { continue }
                    if free > 0, await makeJobs() { continue }
                    if !isPausing {
                        isPausing = true
                        group.addTask {
                            try? await Task.sleep(for: Self.pause)  // cancelled: the loop ends
                            return .pause
                        }
                    }
                    switch await group.next() {
                    case .job: free += 1
                    case .pause, nil: isPausing = false
                    }
                }
            }
        }
    }

    /// Makes jobs of the questions to Apple that have fallen due. False if there are none.
    private func makeJobs() async -> Bool {
        guard history != nil, store.isOpen else { return false }
        // While the database is away, `try?` leaves the questions to the next round.
        switch kind {
        case .delivery, .history, .consumption, .accountToken, .lookup: return false
        case .chain: return (try? await store().chains.makeJobs()) ?? 0 > 0
        case .notifications:
            let now = clock.now()
            let night = NightlyIntegrityCheck.wait(at: now, share: Surroundings.pool.jitter())
            let apps = store.catalogue.latest.catalogue.apps.map(\.id)
            let next = now + Int64(night.components.seconds) * 1_000
            return (try? await store().notificationReads.makeJobs(of: apps, next: next)) ?? 0 > 0
        }
    }

    /// Does a job, and stops waiting for it when the job's lease ends. Walks, look-ups and lists of notifications
    /// extend their lease, and keep their place.
    private func perform(_ job: Job, of jobs: Jobs) async {
        let work = Task { await attempt(job, of: jobs) }
        switch job.kind {
        case .delivery, .chain, .consumption, .accountToken: _ = await work.value(within: .milliseconds(Jobs.lease))
        case .history, .lookup, .notifications: await work.value
        }
    }

    private func attempt(_ job: Job, of jobs: Jobs) async {
        let failure = await failure(of: job, in: jobs)
        noteEnd(job.kind, failure == nil)
        guard let failure else { return }
        let counts = !failure.isPassing
        logger.log(
            level: counts && job.isLastAttempt ? .error : .warning, "a job failed",
            metadata: [
                "kind": "\(job.kind.rawValue)", "subject": "\(job.subject)", "attempt": "\(job.attempt)",
                "error": "\(failure.error)",
            ])
        await note(job, counts: counts, notBefore: failure.earliest, in: jobs)
    }

    /// The failure of an attempt: whether it says nothing about the job, and the first instant at which another attempt
    /// makes sense. Nil if the job is done.
    private func failure(of job: Job, in jobs: Jobs) async -> (error: any Error, isPassing: Bool, earliest: Instant?)? {
        guard job.kind == .delivery else {
            do throws(StoreHistory.Failure) {
                try await askApple(for: job, in: jobs)
                return nil
            } catch {
                return (error, error.isPassing, error.earliest)
            }
        }
        do throws(StoreInbox.Failure) {
            try await inbox.place(stored: job.subject)
            return nil
        } catch {
            return (error, error.isPassing, nil)
        }
    }

    /// Does a job that asks Apple something, or tells it something.
    ///
    /// - Throws: ``StoreHistory/Failure`` while something that the job needs is away, or if it cannot be done.
    private func askApple(for job: Job, in jobs: Jobs) async throws(StoreHistory.Failure) {
        switch job.kind {
        case .delivery: return
        case .consumption: return try await answers.answer(question: job.subject)
        case .history:
            if let history {
                _ = try await history.walk(for: job.subject)
            } else {
                // Without credentials nobody can be asked: the next restore begins anew.
                _ = try? await store().history.finish(job.subject, nil)
            }
            return
        case .lookup:
            // Without credentials nobody can be asked: the ids wait for them.
            guard let history else { throw .apple(.unreachable("there are no App Store credentials")) }
            return try await history.lookUp(for: job.subject)
        case .accountToken: try await answers.tellToken(ofPurchase: job.subject)
        case .chain: try await history?.ask(aboutChain: job.subject)
        case .notifications: try await notifications?.read(job.subject)
        }
        // While the database is away, `try?` leaves the job, which is then done twice.
        try? await jobs.finish(job)
    }

    /// Records that an attempt failed; `counts` says if the attempt uses up a try of the job. While the database cannot
    /// be reached, recording is retried until the lease ends. An attempt that is not recorded by then uses up a try.
    private func note(_ job: Job, counts: Bool, notBefore earliest: Instant?, in jobs: Jobs) async {
        let end = ContinuousClock.now + .milliseconds(Jobs.lease)
        while ContinuousClock.now < end {
            do throws(ServiceFailure) {
                return try await jobs.fail(job, counts: counts, notBefore: earliest)
            } catch {
                guard error.isPassing, error.cause != .shuttingDown else { return }
                try? await Task.sleep(for: Self.pause)  // cancelled: the loop ends with the pool
            }
        }
    }
}
