import AppStore
import Entitlements

/// The pace at which one instance asks Apple: a fifth of Apple's rate for each kind of question and environment.
/// Nothing is asked during a pause that Apple wants, and for a while after several failures in a row.
actor ApplePace {
    /// A kind of question in an environment.
    private struct Kind: Hashable {
        let name: String
        let environment: StoreEnvironment
    }

    /// The share of Production's rate at which Apple answers in the Sandbox.
    private static let sandboxShare = 0.1
    private static let ownShare = 0.2
    private static let lowest = 0.1
    /// The longest wait for a place, in milliseconds. A question that would wait longer fails, and a job asks again.
    private static let longestWait: Int64 = 10_000
    private static let failuresToRest = 5
    private static let rest: Int64 = 30_000

    /// The first free place of each kind.
    private var free: [Kind: Instant] = [:]
    private var failures: [StoreEnvironment: Int] = [:]
    private var pausedUntil: [StoreEnvironment: Instant] = [:]
    private var last: [StoreEnvironment: String] = [:]
    /// The lead of this machine's clock over Apple's in milliseconds, by the last answer: negative where it is behind,
    /// nil before an answer that is dated.
    private(set) var lead: Int64?

    /// Apple's last answers in each environment, for the readiness page.
    var words: String {
        let parts = last.map { "\($0.key.rawValue): \($0.value)" }.sorted()
        return parts.isEmpty ? "not asked yet" : parts.joined(separator: "; ")
    }

    /// The questions of a kind that this instance asks in a second.
    static func rate(of question: AppStoreQuestion, in environment: StoreEnvironment) -> Double {
        max(lowest, Double(question.ratePerSecond) * ownShare * (environment == .sandbox ? sandboxShare : 1))
    }

    /// Takes the next place for a question, and returns how many milliseconds to wait for it.
    ///
    /// - Throws: `.paused` during a pause, and where the wait would be too long.
    func place(
        for question: AppStoreQuestion, in environment: StoreEnvironment, at now: Instant
    ) throws(AppStoreServerFailure) -> Int64 {
        try admit(in: environment, at: now)
        let kind = Kind(name: question.name, environment: environment)
        let place = max(now, free[kind] ?? now)
        guard place - now <= Self.longestWait else { throw .paused(until: place) }
        free[kind] = place + Int64(1_000 / Self.rate(of: question, in: environment))
        return place - now
    }

    /// Lets a question pass unless there is a pause.
    ///
    /// - Throws: `.paused`.
    func admit(in environment: StoreEnvironment, at now: Instant) throws(AppStoreServerFailure) {
        if let end = pausedUntil[environment], now < end { throw .paused(until: end) }
    }

    /// Lets nothing pass before `end`.
    func pause(_ environment: StoreEnvironment, until end: Instant) {
        pausedUntil[environment] = max(end, pausedUntil[environment] ?? end)
    }

    /// Notes the date of an answer that came between two instants of this machine's clock.
    func note(date theirs: Instant, between before: Instant, and after: Instant) {
        lead = max(before - theirs, 0) + min(after - theirs, 0)
    }

    /// Notes the failure of a question, or nil for an answer or a refusal.
    func note(_ failure: AppStoreServerFailure?, in environment: StoreEnvironment, at now: Instant) {
        switch failure {
        case .paused(let end): return pause(environment, until: end)
        case .unreachable(let reason): last[environment] = "does not answer: \(reason)"
        case .keyNotAccepted:
            // Apple also answers so about an app that it does not know there, which says nothing about other apps.
            last[environment] = "the key is not accepted"
            return
        case .refused, .unreadable, nil:
            failures[environment] = nil
            last[environment] = "answers"
            return
        }
        failures[environment, default: 0] += 1
        if failures[environment, default: 0] >= Self.failuresToRest {
            failures[environment] = nil
            pause(environment, until: now + Self.rest)
        }
    }
}
