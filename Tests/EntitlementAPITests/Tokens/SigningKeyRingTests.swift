import Crypto
import Entitlements
import LedgerStore
import Testing

@testable import EntitlementAPI

/// Which key signs, which ones verify, and when one goes.
struct SigningKeyRingTests {
    private static let hour = Instant.millisecondsPerHour
    private static let life = 90 * 24

    private func ring(
        _ stored: [SigningKeyStore.Stored], at now: Instant = Fixture.now
    ) throws(SigningKeyFault) -> SigningKeyRing {
        try SigningKeyRing(of: stored, under: Keys.seal, tokenHours: 72, at: now)
    }

    @Test func `the oldest key that may sign does, and the next is published before`() throws {
        let old = Keys.stored(1, hoursAgo: Self.life - 23)
        let new = Keys.stored(2, hoursAgo: 1)
        #expect(try ring([old, new]).signer.kid == old.key.kid)
        #expect(try ring([new, old]).signer.kid == old.key.kid)
        #expect(try ring([old, new]).published.map(\.kid) == [old.key.kid, new.key.kid])
        let last = old.stopsAt + -1
        #expect(try ring([old, new], at: last).signer.kid == old.key.kid)
        #expect(try ring([old, new], at: old.stopsAt).signer.kid == new.key.kid)
        #expect(try ring([old, new], at: old.stopsAt).published.count == 2)
    }

    @Test func `the next key is due a day before the newest one stops`() {
        let key = Keys.stored(hoursAgo: 0)
        let due = key.stopsAt + -Instant.millisecondsPerDay
        #expect(SigningKeyRing.needsSuccessor([], at: Fixture.now))
        #expect(!SigningKeyRing.needsSuccessor([key], at: Fixture.now))
        #expect(!SigningKeyRing.needsSuccessor([key], at: due + -1))
        #expect(SigningKeyRing.needsSuccessor([key], at: due))
        #expect(SigningKeyRing.needsSuccessor([Keys.stored(retiredHoursAgo: 0)], at: Fixture.now))
    }

    @Test(arguments: [1, 72, 8_760])
    func `a key verifies until the last token that it can have signed has ended`(tokenHours: Int) throws {
        for retired in [nil, 5] as [Int?] {
            let old = Keys.stored(1, hoursAgo: 10, tokenHours: tokenHours, retiredHoursAgo: retired)
            // Young enough to sign when the first one goes.
            let later = Keys.stored(2, hoursAgo: -Self.life - tokenHours)
            let lastToken = old.stopsAt + Int64(tokenHours) * Self.hour
            #expect(try ring([old, later], at: lastToken).published.count == 2)
            let leaves = lastToken + SigningKeyRing.margin
            #expect(!SigningKeyRing.hasLeft(old, at: leaves + -1) && SigningKeyRing.hasLeft(old, at: leaves))
            #expect(try ring([old, later], at: leaves + -1).published.count == 2)
            #expect(try ring([old, later], at: leaves).published.map(\.kid) == [later.key.kid])
        }
    }

    @Test func `a key of nobody's making is never published`() throws {
        let signer = Keys.stored(2)
        let stranger = Keys.stored(1, retiredHoursAgo: 0, under: KeySeal(SymmetricKey(size: .bits256)))
        let ring = try ring([stranger, signer])
        #expect(ring.published.map(\.kid) == [signer.key.kid])
        #expect(ring.unusable == [stranger.key.kid])
    }

    @Test func `a signer that cannot be opened is a fault that says what to do, and no key is one too`() {
        let broken = Keys.stored(1, under: KeySeal(SymmetricKey(size: .bits256)))
        // A later key does not stand in for it: the others sign with the first.
        #expect(throws: SigningKeyFault.unusable(kid: broken.key.kid)) { try ring([broken, Keys.stored(2)]) }
        #expect(throws: SigningKeyFault.none) { try ring([]) }
        #expect(throws: SigningKeyFault.none) { try ring([Keys.stored(retiredHoursAgo: 0)]) }
        let words = SigningKeyFault.unusable(kid: "k").description
        #expect(words.contains("tokens.key_encryption_key") && words.contains("gatepass tokens rotate"))
    }
}
