package import Crypto
package import Entitlements
package import LedgerStore

/// The signing keys in the database. Any instance makes the next key, or deletes an old one, when its time has come.
///
/// Every instance reads the keys again after a second, so a rotation reaches all instances quickly.
package actor SigningKeys {
    /// The time for which a ring, or the error in its place, is cached, in milliseconds.
    static let freshness: Int64 = 1_000
    /// The most keys that one reading adds. It adds a second one only if the key that another instance added first does
    /// not last long enough.
    private static let attempts = 3

    private let store: SigningKeyStore
    private let seal: KeySeal
    private let tokenHours: Int
    private let longestHours: Int
    private let now: @Sendable () -> Instant
    private let newKey: @Sendable () -> P256.Signing.PrivateKey
    private var held: (result: Result<SigningKeyRing, SigningKeyFault>, readAt: Instant)?
    private var reading: Task<Result<SigningKeyRing, SigningKeyFault>, Never>?

    /// - Parameters:
    ///   - tokenHours: The longest life of an entitlement token.
    ///   - longestHours: The longest life of a token of any kind.
    ///   - newKey: Makes a random key.
    package init(
        store: SigningKeyStore, seal: KeySeal, tokenHours: Int, longestHours: Int,
        now: @escaping @Sendable () -> Instant,
        newKey: @escaping @Sendable () -> P256.Signing.PrivateKey
    ) {
        self.store = store
        self.seal = seal
        self.tokenHours = tokenHours
        self.longestHours = longestHours
        self.now = now
        self.newKey = newKey
    }

    /// The present ring. The first key, or the next if it is due, is made on the way.
    ///
    /// - Throws: ``SigningKeyFault``.
    package func ring() async throws(SigningKeyFault) -> SigningKeyRing {
        let now = now()
        if let held, now >= held.readAt, now - held.readAt < Self.freshness { return try held.result.get() }
        if let reading { return try await reading.value.get() }
        let task = Task { () -> Result<SigningKeyRing, SigningKeyFault> in
            do throws(SigningKeyFault) {
                return .success(try await read(at: now))
            } catch {
                return .failure(error)
            }
        }
        reading = task
        let result = await task.value
        reading = nil
        held = (result, now)
        return try result.get()
    }

    /// Makes a key that signs from now on and gives its id. All other keys only verify their tokens from then on.
    ///
    /// No other key needs to be opened, so this helps if the key-encryption key is lost.
    ///
    /// - Throws: ``SigningKeyFault``.
    package func rotate(_ audit: TrailWriter) async throws(SigningKeyFault) -> String {
        let key = try freshKey(at: now())
        try await asking { try await store.replaceAll(with: key, audit: audit) }
        held = nil
        return key.kid
    }

    /// The preview of a rotation. No key is made.
    ///
    /// - Throws: ``SigningKeyFault``.
    package func previewedRotation() async throws(SigningKeyFault) -> Preview {
        let signer = SigningKeyRing.signer(among: try await asking { try await store.load() }, at: now())
        let words = signer.map { "\($0.key.kid), which signs now, would only verify the tokens that it signed" }
        return Preview(would: "A new key would sign from now on; \(words ?? "no key signs yet").")
    }

    /// Seals again the keys that were sealed under a previous key-encryption key.
    ///
    /// - Throws: ``SigningKeyFault``.
    package func resealOutdated() async throws(SigningKeyFault) {
        for stored in try await asking({ try await store.load() }) {
            guard let opened = seal.open(stored.key.sealedKey, as: stored.key.kid), opened.isOutdated,
                let sealed = seal.seal(opened.secret, as: stored.key.kid)
            else { continue }
            try await asking { try await store.reseal(stored.key, as: sealed) }
        }
    }

    private func read(at now: Instant) async throws(SigningKeyFault) -> SigningKeyRing {
        let stored = try await withSuccessor(at: now)
        let gone = stored.filter { SigningKeyRing.hasLeft($0, at: now) }
        let ring = try SigningKeyRing(of: stored, under: seal, tokenHours: tokenHours, at: now)
        for key in stored where key.key.tokenHours < longestHours && now < key.stopsAt {
            try await asking { try await store.promise(longestHours, by: key.key.kid) }
        }
        // `try?` drops the error that an old key could not be deleted. It is in no ring, and the next reading tries
        // again.
        try? await store.delete(gone)
        return ring
    }

    /// The stored keys; the next key is added if it is due.
    ///
    /// An instance that cannot open the present signing key adds none, because the other instances could not open a key
    /// that it sealed.
    private func withSuccessor(at now: Instant) async throws(SigningKeyFault) -> [SigningKeyStore.Stored] {
        for _ in 0..<Self.attempts {
            let stored = try await asking { try await store.load() }
            guard SigningKeyRing.needsSuccessor(stored, at: now) else { return stored }
            if let signer = SigningKeyRing.signer(among: stored, at: now), SigningKey(signer.key, under: seal) == nil {
                throw .unusable(kid: signer.key.kid)
            }
            let (key, generation) = (try freshKey(at: now), (stored.last?.generation ?? 0) + 1)
            _ = try await asking { try await store.add(key, as: generation) }
        }
        return try await asking { try await store.load() }
    }

    private func freshKey(at now: Instant) throws(SigningKeyFault) -> SigningKeyStore.Key {
        let key = SigningKey(newKey())
        guard let sealed = key.sealed(under: seal) else { throw .none }
        return SigningKeyStore.Key(
            kid: key.kid, publicJWK: key.publicKey.text, sealedKey: sealed, createdAt: now,
            signsUntil: now + SigningKeyRing.signingLife, tokenHours: longestHours)
    }

    private func asking<Answer>(
        _ body: () async throws -> Answer
    ) async throws(SigningKeyFault) -> Answer {
        do {
            return try await body()
        } catch {
            throw .database("\(error)")
        }
    }
}
