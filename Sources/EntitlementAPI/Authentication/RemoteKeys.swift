import Synchronization

/// The login's key set, fetched from a URL and cached.
///
/// A fetch begins if the keys are older than ``refreshAge`` or a token names an unknown key. Fetches are at least
/// ``shortestInterval`` apart, or ``shortestIntervalWithoutKeys`` while there are none. If a fetch fails, the last good
/// keys stay.
///
/// A caller whose key is known does not wait for the fetch. Only after ``longestAge`` without a completed fetch does a
/// caller wait in any case, because the key may have been withdrawn meanwhile.
package actor RemoteKeys {
    /// Fetches the JWKS document. It must return or throw within seconds.
    package typealias Fetch = @Sendable () async throws -> [UInt8]

    /// The shortest time between the beginnings of two fetches.
    static let shortestInterval = Duration.seconds(60)
    /// The shortest time between two fetches while there are no keys, during which nobody can sign in.
    static let shortestIntervalWithoutKeys = Duration.seconds(1)
    /// The age at which the keys are fetched again although no key is missing.
    static let refreshAge = Duration.seconds(10 * 60)
    /// The time without a completed fetch after which every caller waits for a fetch, because its key may have been
    /// withdrawn.
    static let longestAge = Duration.seconds(15 * 60)
    /// The most callers that wait for a fetch, a quarter of the connections. Further callers are refused as
    /// ``BearerRefusal/keysUnavailable``.
    static let maximumWaiting = 1_024

    /// A key, and the edition of the document that holds it.
    struct Found: Sendable {
        let key: VerificationKey
        let edition: Int
    }

    /// The edition of the present document, and when to fetch the next.
    private struct Freshness {
        /// The number of documents fetched so far.
        var edition = 0
        /// The uptime at which the next fetch is due.
        var until = Duration.zero
    }

    private let uptime: @Sendable () -> Duration
    private let fetch: Fetch
    private var keys: KeySet?
    private var askedAt: Duration?
    /// The uptime at which the last completed fetch began, whether or not it succeeded.
    private var heardAt = Duration.zero
    private var didFail = false
    private var fetching: Task<Void, Never>?
    private var waiting = 0
    private let freshness = Mutex(Freshness())

    /// - Parameter uptime: A monotonic clock. With a clock that ran ahead and was set back, the document fetched
    ///   meanwhile would stay in force too long.
    package init(uptime: @escaping @Sendable () -> Duration, fetch: @escaping Fetch) {
        self.uptime = uptime
        self.fetch = fetch
    }

    /// True if the document of this edition is the present one and no fetch is due. A token that one of its keys
    /// verified then needs no new check.
    nonisolated func isFresh(_ edition: Int) -> Bool {
        freshness.withLock { $0.edition == edition && uptime() < $0.until }
    }

    /// The key with the id `kid`. If it is unknown, the document is fetched again first, unless the last fetch is too
    /// recent.
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
        // While the login cannot be reached, an unknown key may be a new one.
        return .failure(keys == nil || didFail ? .keysUnavailable : .invalid("The token's key is not known."))
    }

    /// True if the caller must wait for the fetch under way: its key is unknown, or the keys are too old.
    private func mustWait(for kid: String?, at now: Duration) -> Bool {
        keys?.key(named: kid) == nil || now - heardAt >= Self.longestAge
    }

    /// Begins a fetch, unless a fetch is under way or the last one is too recent.
    private func refresh(at now: Duration) {
        let interval = keys == nil ? Self.shortestIntervalWithoutKeys : Self.shortestInterval
        guard fetching == nil, askedAt.map({ now - $0 >= interval }) ?? true else { return }
        askedAt = now
        fetching = Task { await renew(at: now) }
    }

    /// Fetches the document and puts it in force. If that fails, the last document stays in force, and the next fetch
    /// is due no sooner than ``shortestInterval`` later.
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
        // Both `try?` drop the reason why there is no document; the caller notes the failure.
        guard let document = try? await fetch() else { return nil }
        return try? await KeySet(document)
    }
}

extension RemoteKeys {
    /// The number of keys in a JWKS document that can verify tokens; nil if there is none.
    package static func usableKeys(in document: [UInt8]) async -> Int? {
        try? await KeySet(document).count  // the reason why the document cannot be used is always the same
    }
}
