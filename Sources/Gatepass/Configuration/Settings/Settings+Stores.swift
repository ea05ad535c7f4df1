extension Settings {
    /// `apple`: trust in Apple's signatures, and the way to its servers.
    struct Apple: Hashable, Sendable {
        /// The In-App Purchase key of App Store Connect.
        struct Credentials: Hashable, Sendable {
            let issuerID: String
            let keyID: String
            let privateKeyFile: String
        }

        /// DER or PEM files, never none.
        let trustRoots: [String]
        /// True if revocation of Apple's certificates is asked online.
        let ocsp: Bool
        /// Nil while history and notifications' history are not configured.
        let credentials: Credentials?
        /// Nil means Apple's own address, here and below.
        let apiBaseURL: WebAddress?
        let sandboxAPIBaseURL: WebAddress?
        let sharedSecret: Secret?
        let verifyReceiptURL: WebAddress?
        let sandboxVerifyReceiptURL: WebAddress?

        static let defaultTrustRoot = "config/certificates/AppleRootCA-G3.cer"
        private static let credentialKeys = ["apple.issuer_id", "apple.key_id", "apple.private_key_file"]

        init(_ reader: inout SettingsReader) {
            trustRoots = reader.texts("apple.trust_roots", default: [Self.defaultTrustRoot])
            ocsp = reader.boolean("apple.ocsp", default: false)
            credentials = Self.credentials(&reader)
            apiBaseURL = reader.address("apple.api_base_url")
            sandboxAPIBaseURL = reader.address("apple.sandbox_api_base_url")
            sharedSecret = reader.secret("apple.shared_secret")
            verifyReceiptURL = reader.address("apple.verify_receipt_url")
            sandboxVerifyReceiptURL = reader.address("apple.sandbox_verify_receipt_url")
            if trustRoots.isEmpty {
                reader.report(
                    "apple.trust_roots", "apple.trust_roots names no certificate", "write [\(Self.defaultTrustRoot)]")
            }
        }

        private static func credentials(_ reader: inout SettingsReader) -> Credentials? {
            let values = credentialKeys.map { reader.optionalText($0) }
            if let issuerID = values[0], let keyID = values[1], let privateKeyFile = values[2] {
                return Credentials(issuerID: issuerID, keyID: keyID, privateKeyFile: privateKeyFile)
            }
            guard values.contains(where: { $0 != nil }) else { return nil }
            for (key, value) in zip(credentialKeys, values) where value == nil {
                reader.report(
                    key, "\(key) is missing, and the App Store credentials are set only in part",
                    "set \(credentialKeys.joined(separator: ", ")), or none of them")
            }
            return nil
        }
    }

    /// `stripe`: card billing.
    struct Stripe: Hashable, Sendable {
        /// The secrets of which any verifies a delivery; none means that the source is not configured.
        let signingSecrets: [Secret]
        let userIDMetadataKey: String
        let graceDays: Int
        /// With which Stripe's list of events is asked for; visible ASCII.
        let apiKey: Secret?
        /// Nil means Stripe's own address; otherwise encrypted, or of this machine.
        let apiBaseURL: WebAddress?

        init(_ reader: inout SettingsReader) {
            signingSecrets = reader.secrets("stripe.signing_secrets")
            userIDMetadataKey = reader.text("stripe.user_id_metadata_key", default: "user_id")
            graceDays = reader.integer("stripe.grace_days", default: 14, in: 0...365)
            apiKey = reader.secret("stripe.api_key")
            apiBaseURL = reader.address("stripe.api_base_url")
            // A key that no header can hold would be shown by the fault of the HTTP client.
            if let apiKey, !apiKey.isBlank, !apiKey.text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
                reader.report(
                    "stripe.api_key", "stripe.api_key is no API key", "write one such as rk_live_…, and no more")
            }
            if let apiBaseURL, !apiBaseURL.isEncrypted, !apiBaseURL.isLoopback {
                reader.report(
                    "stripe.api_base_url", "stripe.api_base_url is not https, so others could read the key",
                    "write an https URL, or leave it out")
            }
            if userIDMetadataKey.isEmpty {
                reader.report(
                    "stripe.user_id_metadata_key", "stripe.user_id_metadata_key is empty",
                    "write the metadata key that holds the user id, such as user_id")
            }
        }
    }
}
