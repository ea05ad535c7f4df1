import Entitlements

/// The login's keys behind a URL: cached, fetched again when they are old or a token names one that is not there, at
/// most once a minute (once a second while there are none); the last good ones stay on failure (`contract.md` §2).
package actor RemoteKeys {
    /// Brings the document; it must end within seconds.
    package typealias Fetch = @Sendable () async throws -> [UInt8]

    /// Time between two fetches, at least.
    static let shortestInterval: Int64 = 60_000
    /// The same while there are no keys at all: nobody could sign in until then.
    static let shortestIntervalWithoutKeys: Int64 = 1_000
    /// Age at which keys are fetched again though nobody misses one, so that a withdrawn key ceases to count.
    static let longestAge: Int64 = 15 * 60_000

    private let fetch: Fetch
    private var keys: KeySet?
    private var askedAt: Instant?
    private var didFail = false
    private var fetching: Task<KeySet?, Never>?

    package init(fetch: @escaping Fetch) {
        self.fetch = fetch
    }

    /// The key that a token names.
    ///
    /// - Parameter renewed: Called before new keys count, to forget what old ones vouched for.
    func key(
        named kid: String?, at now: Instant, renewed: @Sendable () -> Void
    ) async -> Result<VerificationKey, BearerRefusal> {
        if keys == nil || isOld(at: now) || keys?.key(named: kid) == nil {
            await refresh(at: now, renewed: renewed)
        }
        if let key = keys?.key(named: kid) { return .success(key) }
        // With no answer from the login nobody knows whether the key is unknown or new.
        return .failure(keys == nil || didFail ? .keysUnavailable : .invalid("The token's key is not known."))
    }

    private func isOld(at now: Instant) -> Bool {
        askedAt.map { now - $0 >= Self.longestAge } ?? true
    }

    /// One fetch at a time; whoever comes meanwhile waits for it.
    private func refresh(at now: Instant, renewed: @Sendable () -> Void) async {
        if let fetching {
            _ = await fetching.value
            return
        }
        let interval = keys == nil ? Self.shortestIntervalWithoutKeys : Self.shortestInterval
        if let askedAt, now >= askedAt, now - askedAt < interval { return }
        askedAt = now
        let task = Task { [fetch] () -> KeySet? in
            // Lost: why the document could not be had; the caller counts it as a failure.
            guard let document = try? await fetch() else { return nil }
            return try? await KeySet(document)
        }
        fetching = task
        let fetched = await task.value
        fetching = nil
        didFail = fetched == nil
        guard let fetched else { return }
        renewed()
        keys = fetched
    }
}
