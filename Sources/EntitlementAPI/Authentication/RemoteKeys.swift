import Entitlements
import Synchronization

/// The login's keys behind a URL: cached, fetched again when they are old or a token names one that is not there, at
/// most once a minute (once a second while there are none); the last good ones stay on failure.
package actor RemoteKeys {
    /// Brings the document; it must end within seconds.
    package typealias Fetch = @Sendable () async throws -> [UInt8]

    /// Time between two fetches, at least.
    static let shortestInterval: Int64 = 60_000
    /// The same while there are no keys at all: nobody could sign in until then.
    static let shortestIntervalWithoutKeys: Int64 = 1_000
    /// Age at which keys are fetched again though nobody misses one, so that a withdrawn key ceases to count.
    static let longestAge: Int64 = 15 * 60_000

    /// A key, and the edition of the document that it stands in.
    struct Found: Sendable {
        let key: VerificationKey
        let edition: Int
    }

    /// Which document is in force.
    private struct Freshness {
        /// How many documents there were.
        var edition = 0
        /// When the next one is asked for; what this one vouched for ends then.
        var until = Instant.distantPast
    }

    private let fetch: Fetch
    private var keys: KeySet?
    private var askedAt: Instant?
    private var didFail = false
    private var fetching: Task<Void, Never>?
    private let freshness = Mutex(Freshness())

    package init(fetch: @escaping Fetch) {
        self.fetch = fetch
    }

    /// Whether the document of this edition is still in force and needs not be fetched again: then what one of its keys
    /// signed need not be judged anew.
    nonisolated func isFresh(_ edition: Int, at now: Instant) -> Bool {
        freshness.withLock { $0.edition == edition && now < $0.until }
    }

    /// The key that a token names.
    func key(named kid: String?, at now: Instant) async -> Result<Found, BearerRefusal> {
        if freshness.withLock({ now >= $0.until }) || keys?.key(named: kid) == nil { await refresh(at: now) }
        if let key = keys?.key(named: kid) {
            return .success(Found(key: key, edition: freshness.withLock { $0.edition }))
        }
        // With no answer from the login nobody knows whether the key is unknown or new.
        return .failure(keys == nil || didFail ? .keysUnavailable : .invalid("The token's key is not known."))
    }

    /// One fetch at a time; callers that come meanwhile wait for it.
    private func refresh(at now: Instant) async {
        if let fetching { return await fetching.value }
        let interval = keys == nil ? Self.shortestIntervalWithoutKeys : Self.shortestInterval
        if let askedAt, now >= askedAt, now - askedAt < interval { return }
        askedAt = now
        let task = Task { await renew(at: now) }
        fetching = task
        await task.value
    }

    /// Puts a new document in force, or keeps the last one for a little longer.
    private func renew(at now: Instant) async {
        let fetched = await document()
        fetching = nil
        didFail = fetched == nil
        keys = fetched ?? keys
        freshness.withLock { freshness in
            if fetched == nil {
                freshness.until = max(freshness.until, now + Self.shortestInterval)
            } else {
                freshness = Freshness(edition: freshness.edition + 1, until: now + Self.longestAge)
            }
        }
    }

    private func document() async -> KeySet? {
        // Lost: why the document could not be had; the caller counts it as a failure.
        guard let document = try? await fetch() else { return nil }
        return try? await KeySet(document)
    }
}
