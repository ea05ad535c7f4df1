extension Settings {
    /// `auth`: the verification of tokens of the app's own sign-in.
    struct Auth: Hashable, Sendable {
        /// The configured way of verification.
        enum Verification: Hashable, Sendable {
            /// HS256 with a shared secret. Tokens signed with `previous` secrets are valid too, for rotation.
            case sharedSecret(Secret, previous: [Secret])
            /// A public key in a PEM file, for ES256, RS256 or EdDSA.
            case publicKey(file: String)
            case keySet(WebAddress)
        }

        /// The configured way; nil where Apple accounts sign in and nobody else does, and in development, where
        /// `gatepass dev` sets a secret of its own.
        let verification: Verification?
        /// The issuer that a token must name, if it is set.
        let issuer: String?
        /// The audience that a token must name, if it is set.
        let audience: String?
        /// The claim that contains the user id.
        let userIDClaim: String
        /// The life, in days, of the token that an Apple account gets; nil where none signs in by itself.
        let appleTokenDays: Int?

        /// The secret for development if none is configured. Production refuses it.
        static let developmentSecret = "gatepass-development-secret-never-for-production"
        /// The longest life of an Apple account's token in days.
        static let longestTokenDays = 366
        /// The shortest secret for HS256 in bytes: the length of the hash (RFC 7518 §3.2).
        static let shortestSecretBytes = 32

        /// The keys of which production needs one: those of the ways of verification, of which one at most may be set,
        /// and that of Apple accounts.
        static let signInKeys = [
            "auth.hs256_secret", "auth.public_key_file", "auth.jwks_url", "auth.apple_accounts.enabled",
        ]

        init(_ reader: inout SettingsReader) {
            let secret = reader.secret("auth.hs256_secret")
            let previous = reader.secrets("auth.hs256_previous")
            let publicKeyFile = reader.optionalText("auth.public_key_file")
            let address = reader.address("auth.jwks_url")
            issuer = reader.optionalText("auth.issuer")
            audience = reader.optionalText("auth.audience")
            userIDClaim = reader.text("auth.user_id_claim", default: "sub")
            if userIDClaim.isEmpty {
                reader.report(
                    "auth.user_id_claim", "auth.user_id_claim is empty", "write the claim's name, such as sub")
            }
            if secret == nil, !previous.isEmpty {
                reader.report(
                    "auth.hs256_previous", "auth.hs256_previous is set without auth.hs256_secret",
                    "write the present secret in auth.hs256_secret")
            }
            let ways: [(key: String, way: Verification)] = [
                secret.map { ("auth.hs256_secret", .sharedSecret($0, previous: previous)) },
                publicKeyFile.map { ("auth.public_key_file", .publicKey(file: $0)) },
                address.map { ("auth.jwks_url", .keySet($0)) },
            ].compactMap { $0 }
            for extra in ways.dropFirst() {
                reader.report(
                    extra.key, "\(extra.key) is set beside \(ways[0].key)",
                    "set exactly one of auth.hs256_secret, auth.public_key_file and auth.jwks_url")
            }
            verification = ways.first?.way
            let signsInAppleAccounts = reader.boolean("auth.apple_accounts.enabled", default: false)
            let days = reader.integer("auth.apple_accounts.token_days", default: 30, in: 1...Self.longestTokenDays)
            appleTokenDays = signsInAppleAccounts ? days : nil
        }
    }

    /// `tokens`: entitlement tokens, and the key that seals keys in the database.
    struct Tokens: Hashable, Sendable {
        let offlineTokenHours: Int
        /// The key that seals stored keys; nil only in development.
        let keyEncryptionKey: KeyEncryptionKey?
        /// Earlier keys, which still open what they sealed, for rotation.
        let previousKeyEncryptionKeys: [KeyEncryptionKey]

        init(_ reader: inout SettingsReader) {
            offlineTokenHours = reader.integer("tokens.offline_token_hours", default: 72, in: 1...longestHours)
            let key = "tokens.key_encryption_key"
            let secret = reader.secret(key)
            keyEncryptionKey = secret.flatMap { KeyEncryptionKey(base64: $0.text) }
            if secret != nil, keyEncryptionKey == nil {
                reader.report(
                    key, "\(key) is not the base64 of 32 bytes", "write the output of: openssl rand -base64 32")
            }
            let previousKey = "tokens.previous_key_encryption_keys"
            let previous = reader.secrets(previousKey)
            previousKeyEncryptionKeys = previous.compactMap { KeyEncryptionKey(base64: $0.text) }
            if previousKeyEncryptionKeys.count < previous.count {
                reader.report(
                    previousKey, "\(previousKey) has one that is not the base64 of 32 bytes",
                    "write each as the output of: openssl rand -base64 32")
            }
        }
    }
}
