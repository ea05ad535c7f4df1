package import Crypto
package import Entitlements
package import LedgerStore

/// Makes, rotates and gives up the keys of entitlement tokens, whichever instance comes first.
///
/// The database is the authority: the ring is read again after a second, so a rotation reaches every instance at once.
package actor SigningKeys {
    /// How long a ring, or what is wrong with it, is held before it is read again, in milliseconds.
    static let freshness: Int64 = 1_000
    /// Times that a key is made before another instance's is believed to be unfit.
    private static let attempts = 3

    private let store: SigningKeyStore
    private let seal: KeySeal
    private let tokenHours: Int
    private let now: @Sendable () -> Instant
    private let newKey: @Sendable () -> P256.Signing.PrivateKey
    private var held: (result: Result<SigningKeyRing, SigningKeyFault>, readAt: Instant)?
    private var reading: Task<Result<SigningKeyRing, SigningKeyFault>, Never>?

    /// - Parameters:
    ///   - tokenHours: The longest life of a token.
    ///   - newKey: Makes a key that nobody can guess.
    package init(
        store: SigningKeyStore, seal: KeySeal, tokenHours: Int, now: @escaping @Sendable () -> Instant,
        newKey: @escaping @Sendable () -> P256.Signing.PrivateKey
    ) {
        self.store = store
        self.seal = seal
        self.tokenHours = tokenHours
        self.now = now
        self.newKey = newKey
    }

    /// The keys as they stand; the first is made now if there is none.
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

    /// Makes a key that signs from now on; all others only verify what they signed. Answers its name.
    ///
    /// No other key has to be opened, so this helps where the key-encryption key is lost.
    ///
    /// - Throws: ``SigningKeyFault``.
    package func rotate(_ audit: TrailWriter) async throws(SigningKeyFault) -> String {
        let key = try freshKey(at: now())
        try await asking { try await store.replaceAll(with: key, audit: audit) }
        held = nil
        return key.kid
    }

    /// Seals again what was sealed under a previous key-encryption key.
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
        for key in stored where key.key.tokenHours < tokenHours && now < key.stopsAt {
            try await asking { try await store.promise(tokenHours, by: key.key.kid) }
        }
        // Lost: that a key could not be deleted; it is in no ring, and the next reading tries again.
        try? await store.delete(gone)
        return ring
    }

    /// The stored keys, with the next key if it was due.
    ///
    /// An instance that cannot open the key that signs now makes none: the others could not open its own.
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
            signsUntil: now + SigningKeyRing.signingLife, tokenHours: tokenHours)
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
