import Crypto
import Entitlements
import LedgerStore

@testable import EntitlementAPI

/// Signing keys as a database would hold them.
enum Keys {
    static let key = SymmetricKey(data: Array(repeating: 7, count: 32))
    static let seal = KeySeal(key)

    /// A key made `hoursAgo` before the fixture's now.
    static func stored(
        _ generation: Int = 1, hoursAgo: Int = 1, tokenHours: Int = 72, retiredHoursAgo: Int? = nil,
        under seal: KeySeal = seal, changing change: (inout Parts) -> Void = { _ in }
    ) -> SigningKeyStore.Stored {
        let key = SigningKey(P256.Signing.PrivateKey())
        var parts = Parts(kid: key.kid, jwk: key.publicKey.text, sealed: key.sealed(under: seal) ?? [])
        change(&parts)
        let createdAt = Fixture.now + -Int64(hoursAgo) * Instant.millisecondsPerHour
        return SigningKeyStore.Stored(
            generation: generation,
            key: SigningKeyStore.Key(
                kid: parts.kid, publicJWK: parts.jwk, sealedKey: parts.sealed, createdAt: createdAt,
                signsUntil: createdAt + SigningKeyRing.signingLife, tokenHours: tokenHours),
            retiredAt: retiredHoursAgo.map { Fixture.now + -Int64($0) * Instant.millisecondsPerHour })
    }

    /// What somebody with access to the table could change.
    struct Parts {
        var kid: String
        var jwk: String
        var sealed: [UInt8]
    }
}
