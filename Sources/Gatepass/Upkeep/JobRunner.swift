import EntitlementAPI
import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle

/// Does the jobs that are due, in every instance; each job is taken by one at a time.
struct JobRunner: Service {
    /// How many jobs are done at a time.
    private static let places = 16
    /// The pause where nothing is due, and while the database is away.
    private static let pause = Duration.seconds(1)

    let pool: Pool
    let store: StoreDoor
    let inbox: StoreInbox
    let logger: Logger
    /// Learns how each try ended.
    let noteEnd: @Sendable (JobKind, _ isDone: Bool) -> Void

    /// An end that the runner waits for: of a job, or of the pause between two looks.
    private enum End {
        case job
        case pause
    }

    /// Works until the process is to end: whenever a place is free, the next due job takes it. Throws nothing.
    func run() async throws {
        let jobs = Jobs(pool: pool, now: WallClock.real.now, jitter: Surroundings.pool.jitter)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: End.self) { group in
                var free = Self.places
                var isPausing = false
                while !Task.isCancelled {
                    // Lost: that the database is away; after the pause it is asked again.
                    let taken = free > 0 && store.isOpen ? (try? await jobs.take(free)) ?? [] : []
                    free -= taken.count
                    for job in taken {
                        group.addTask {
                            await perform(job, of: jobs)
                            return .job
                        }
                    }
                    guard taken.isEmpty else { continue }
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

    /// Performs a job, and waits no longer than the job is its own.
    private func perform(_ job: Job, of jobs: Jobs) async {
        let work = Task { await attempt(job, of: jobs) }
        _ = await work.value(within: .milliseconds(Jobs.lease))
    }

    private func attempt(_ job: Job, of jobs: Jobs) async {
        do {
            switch job.kind {
            case .delivery: try await inbox.place(stored: job.subject)
            }
            noteEnd(job.kind, true)
        } catch {
            noteEnd(job.kind, false)
            let counts = !error.isPassing
            logger.log(
                level: counts && job.isLastAttempt ? .error : .warning, "a job failed",
                metadata: [
                    "kind": "\(job.kind.rawValue)", "subject": "\(job.subject)", "attempt": "\(job.attempt)",
                    "error": "\(error)",
                ])
            await note(job, counts: counts, in: jobs)
        }
    }

    /// Writes that a try failed, while the database is away as soon as it is back: what is not written when the lease
    /// ends counts as a try.
    private func note(_ job: Job, counts: Bool, in jobs: Jobs) async {
        let end = ContinuousClock.now + .milliseconds(Jobs.lease)
        while ContinuousClock.now < end {
            do throws(ServiceFailure) {
                return try await jobs.fail(job, counts: counts)
            } catch {
                guard error.isPassing, error.cause != .shuttingDown else { return }
                try? await Task.sleep(for: Self.pause)  // cancelled: the loop ends with the pool
            }
        }
    }
}
