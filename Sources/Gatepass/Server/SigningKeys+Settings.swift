import Crypto
import EntitlementAPI
import LedgerStore
import MariaDB

extension SigningKeys {
    /// The keys in the database that `pool` leads to, as the settings want them.
    init(_ settings: Settings.Tokens, pool: Pool) {
        let key = settings.keyEncryptionKey ?? .development
        self.init(
            store: SigningKeyStore(pool: pool), seal: KeySeal(SymmetricKey(data: key.bytes)),
            tokenHours: settings.offlineTokenHours, now: Surroundings.now, newKey: Surroundings.signingKey)
    }
}
