import Synchronization

/// The login's keys behind a URL.
///
/// They are cached, and fetched again when they are old or a token names a key that is not there: at most once a
/// minute, or once a second while there are none. The last good keys stay on failure.
///
/// A caller whose key is there does not wait for the login, however slow it is. Only the first callers after a
/// ``longestAge`` without requests do, for their key may have been withdrawn long ago.
package actor RemoteKeys {
    /// Brings the document; it must end within seconds.
    package typealias Fetch = @Sendable () async throws -> [UInt8]

    /// Time between two fetches, at least.
    static let shortestInterval = Duration.seconds(60)
    /// Time between two fetches while there are no keys at all: nobody could sign in until then.
    static let shortestIntervalWithoutKeys = Duration.seconds(1)
    /// Age at which keys are fetched again though nobody misses one.
    static let refreshAge = Duration.seconds(10 * 60)
    /// Time after which keys count no more before the login is asked, so that a withdrawn key ceases to count.
    static let longestAge = Duration.seconds(15 * 60)
    /// Callers that wait for a fetch at once, a quarter of the connections; more are told to come again.
    static let maximumWaiting = 1_024

    /// A key, and the edition of the document that it stands in.
    struct Found: Sendable {
        let key: VerificationKey
        let edition: Int
    }

    /// Which document is in force.
    private struct Freshness {
        /// How many documents there were.
        var edition = 0
        /// When the next one is asked for.
        var until = Duration.zero
    }

    private let uptime: @Sendable () -> Duration
    private let fetch: Fetch
    private var keys: KeySet?
    private var askedAt: Duration?
    /// When the last fetch that has ended began, whatever it brought.
    private var heardAt = Duration.zero
    private var didFail = false
    private var fetching: Task<Void, Never>?
    private var waiting = 0
    private let freshness = Mutex(Freshness())

    /// - Parameter uptime: Time that only goes forward. By a clock that jumps, a document fetched while it was ahead
    ///   would stay in force until the jump is made up for.
    package init(uptime: @escaping @Sendable () -> Duration, fetch: @escaping Fetch) {
        self.uptime = uptime
        self.fetch = fetch
    }

    /// True if the document of this edition is still in force and need not be fetched again. Then a token that one of
    /// its keys signed need not be judged anew.
    nonisolated func isFresh(_ edition: Int) -> Bool {
        freshness.withLock { $0.edition == edition && uptime() < $0.until }
    }

    /// The key that a token names.
    func key(named kid: String?) async -> Result<Found, BearerRefusal> {
        let now = uptime()
        if keys?.key(named: kid) == nil || freshness.withLock({ now >= $0.until }) { refresh(at: now) }
        if let fetching, mustWait(for: kid, at: now) {
            guard waiting < Self.maximumWaiting else { return .failure(.keysUnavailable) }
            waiting += 1
            await fetching.value
            waiting -= 1
        }
        if let key = keys?.key(named: kid) {
            return .success(Found(key: key, edition: freshness.withLock { $0.edition }))
        }
        // With no answer from the login nobody knows whether the key is unknown or new.
        return .failure(keys == nil || didFail ? .keysUnavailable : .invalid("The token's key is not known."))
    }

    /// True if the answer depends on the fetch under way.
    private func mustWait(for kid: String?, at now: Duration) -> Bool {
        keys?.key(named: kid) == nil || now - heardAt >= Self.longestAge
    }

    /// Begins a fetch, unless one is under way or the last one is too recent.
    private func refresh(at now: Duration) {
        let interval = keys == nil ? Self.shortestIntervalWithoutKeys : Self.shortestInterval
        guard fetching == nil, askedAt.map({ now - $0 >= interval }) ?? true else { return }
        askedAt = now
        fetching = Task { await renew(at: now) }
    }

    /// Puts a new document in force, or keeps the last one for a little longer.
    private func renew(at now: Duration) async {
        let fetched = await document()
        fetching = nil
        heardAt = now
        didFail = fetched == nil
        keys = fetched ?? keys
        freshness.withLock { freshness in
            if fetched == nil {
                freshness.until = max(freshness.until, now + Self.shortestInterval)
            } else {
                freshness = Freshness(edition: freshness.edition + 1, until: now + Self.refreshAge)
            }
        }
    }

    private func document() async -> KeySet? {
        // Lost: why the document could not be had; the caller counts it as a failure.
        guard let document = try? await fetch() else { return nil }
        return try? await KeySet(document)
    }
}
