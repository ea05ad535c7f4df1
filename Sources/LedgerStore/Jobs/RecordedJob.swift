package import Entitlements

/// A job as operators see it in lists.
package struct RecordedJob: Hashable, Sendable {
    /// The state of a job; the raw value is what the API reads and writes.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Every try failed, and there is no further one.
        case dead
        /// The job is due, or will be, or a worker has it.
        case waiting
    }

    /// The row's id. A job that was added later has a larger one, if one node wrote both.
    package let id: UInt64
    package let kind: JobKind
    /// The id of the row that the job is about, as in ``Job/subject``.
    let subject: UInt64
    /// The delivery's source, its type and the store's id of it; nil if the job is about none, or it is there no more.
    package let source: Source?
    package let type: String?
    package let notification: String?
    /// The number of tries so far.
    package let attempts: Int
    /// The instant at which the job was added or restarted.
    package let createdAt: Instant
    /// The instant from which the job may be tried; the past for a job that comes before all others.
    package let dueAt: Instant
    /// The instant at which the last try failed; nil while there is another try.
    package let diedAt: Instant?

    /// The delivery that the job is about; nil for a job of another kind.
    package var delivery: UInt64? { kind == .delivery ? subject : nil }

    package var state: State { diedAt == nil ? .waiting : .dead }
}
