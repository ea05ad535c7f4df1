import EntitlementAPI
import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle

/// Does jobs that are due. Each instance has a runner, and only one of them takes a job.
struct JobRunner: Service {
    /// The number of jobs that are done at the same time.
    private static let places = 16
    /// The pause when no job is due, and while the database cannot be reached.
    private static let pause = Duration.seconds(1)

    let pool: Pool
    let store: StoreDoor
    let inbox: StoreInbox
    let logger: Logger
    /// Called when an attempt at a job ends.
    let noteEnd: @Sendable (JobKind, _ isDone: Bool) -> Void

    /// The event that the runner waits for: the end of a job, or the end of a pause.
    private enum End {
        case job
        case pause
    }

    /// Works until the process is to end. Whenever fewer than 16 jobs run, it takes the next jobs that are due. Throws
    /// nothing.
    func run() async throws {
        let jobs = Jobs(pool: pool, now: WallClock.real.now, jitter: Surroundings.pool.jitter)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: End.self) { group in
                var free = Self.places
                var isPausing = false
                while !Task.isCancelled {
                    // `try?` drops the error: if the database cannot be reached, the runner asks again after the pause.
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

    /// Does a job, and stops waiting for it when the job's lease ends.
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

    /// Records that an attempt failed; `counts` says if the attempt uses up a try of the job. While the database cannot
    /// be reached, recording is retried until the lease ends. An attempt that is not recorded by then uses up a try.
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
