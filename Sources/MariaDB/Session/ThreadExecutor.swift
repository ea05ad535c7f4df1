import CMariaDB
import Glibc

/// Runs the jobs of one actor on a thread of its own, so that blocking C calls never run on the cooperative pool.
///
/// Invariant: at most one thread runs jobs, and every enqueued job is run. After `stopAndJoin()` a late job starts a
/// new thread. Each job refers to its executor, so the executor outlives the job.
final class ThreadExecutor: SerialExecutor {
    private let queue: ThreadQueue

    init(name: String) {
        queue = ThreadQueue(name: name)
    }

    deinit {
        queue.stop(joining: false)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), for: self)
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Runs the queued jobs, ends the thread and waits for its end. It must not be called on the thread itself.
    func stopAndJoin() {
        queue.stop(joining: true)
    }
}

/// The queue and the thread of a `ThreadExecutor`.
///
/// `@unchecked Sendable`: every stored variable is read and written with `mutex` held.
private final class ThreadQueue: @unchecked Sendable {
    private let name: String
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
    private var thread: pthread_t?
    /// True if a thread is running and will read the queue again.
    private var isRunning = false
    private var isStopping = false

    init(name: String) {
        self.name = name
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(wakeUp, nil)
    }

    deinit {
        pthread_cond_destroy(wakeUp)
        pthread_mutex_destroy(mutex)
        wakeUp.deallocate()
        mutex.deallocate()
    }

    func append(_ job: UnownedJob, for executor: ThreadExecutor) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        jobs.append((job, executor))
        if isRunning {
            pthread_cond_signal(wakeUp)
        } else {
            startThread()
        }
    }

    func stop(joining: Bool) {
        pthread_mutex_lock(mutex)
        let ending = thread
        thread = nil
        isStopping = true
        pthread_cond_signal(wakeUp)
        pthread_mutex_unlock(mutex)
        guard let ending else { return }
        if joining {
            pthread_join(ending, nil)
        } else {
            pthread_detach(ending)
        }
    }

    /// Starts a thread; the caller holds the mutex. Tries until the system provides a thread, because no job may be
    /// lost.
    private func startThread() {
        isRunning = true
        isStopping = false
        var started = pthread_t()
        let context = Unmanaged.passRetained(self)
        while pthread_create(&started, nil, runThreadQueue, context.toOpaque()) != 0 {
            usleep(1000)
        }
        thread = started
    }

    func runJobs() {
        cmariadb_name_thread(name)
        while let batch = nextBatch() {
            for (job, executor) in batch {
                job.runSynchronously(on: executor.asUnownedSerialExecutor())
            }
        }
    }

    /// The queued jobs; nil if the thread is to end.
    private func nextBatch() -> [(job: UnownedJob, executor: ThreadExecutor)]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if isStopping {
                isRunning = false
                return nil
            }
            pthread_cond_wait(wakeUp, mutex)
        }
        defer { jobs = [] }
        return jobs
    }
}

/// The entry point of the thread. It takes over the reference that `startThread` made.
private func runThreadQueue(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<ThreadQueue>.fromOpaque(context).takeRetainedValue().runJobs()
    return nil
}
