import Entitlements

extension Settings {
    /// `apple`: the trusted roots, and the access to Apple's servers.
    struct Apple: Hashable, Sendable {
        /// The In-App Purchase key from App Store Connect.
        struct Credentials: Hashable, Sendable {
            let issuerID: String
            let keyID: String
            let privateKeyFile: String
        }

        /// The certificate files of signed texts, in DER or PEM; at least one.
        let trustRoots: [String]
        /// The certificate files of receipts, in DER or PEM; at least one.
        let receiptRoots: [String]
        /// True if Apple is asked by OCSP whether a certificate is revoked.
        let ocsp: Bool
        /// The key for the App Store Server API; nil if it is not configured.
        let credentials: Credentials?
        /// The base address of the App Store Server API. Nil means Apple's own, as it does for the following addresses.
        let apiBaseURL: WebAddress?
        let sandboxAPIBaseURL: WebAddress?
        let sharedSecret: Secret?
        /// The answers to questions about refunds.
        let consumption: ConsumptionPolicy
        let verifyReceiptURL: WebAddress?
        let sandboxVerifyReceiptURL: WebAddress?

        static let defaultTrustRoot = "config/certificates/AppleRootCA-G3.cer"
        static let defaultReceiptRoot = "config/certificates/AppleIncRootCertificate.cer"
        private static let credentialKeys = ["apple.issuer_id", "apple.key_id", "apple.private_key_file"]

        init(_ reader: inout SettingsReader) {
            trustRoots = reader.texts("apple.trust_roots", default: [Self.defaultTrustRoot])
            receiptRoots = reader.texts("apple.receipt_roots", default: [Self.defaultReceiptRoot])
            ocsp = reader.boolean("apple.ocsp", default: false)
            credentials = Self.credentials(&reader)
            apiBaseURL = reader.address("apple.api_base_url")
            sandboxAPIBaseURL = reader.address("apple.sandbox_api_base_url")
            sharedSecret = reader.secret("apple.shared_secret")
            verifyReceiptURL = reader.address("apple.verify_receipt_url")
            sandboxVerifyReceiptURL = reader.address("apple.sandbox_verify_receipt_url")
            consumption = ConsumptionPolicy(
                preference: reader.choice("apple.consumption.refund_preference", default: .none),
                providesSamples: reader.boolean("apple.consumption.sample_content_provided", default: false))
            for (key, address) in [
                ("apple.api_base_url", apiBaseURL), ("apple.sandbox_api_base_url", sandboxAPIBaseURL),
                ("apple.verify_receipt_url", verifyReceiptURL),
                ("apple.sandbox_verify_receipt_url", sandboxVerifyReceiptURL),
            ] {
                if let address, !address.isEncrypted, !address.isLoopback {
                    reader.report(
                        key, "\(key) is not https, so others could read what is sent",
                        "write an https URL, or leave it out")
                }
            }
            for (key, roots, usual) in [
                ("apple.trust_roots", trustRoots, Self.defaultTrustRoot),
                ("apple.receipt_roots", receiptRoots, Self.defaultReceiptRoot),
            ] where roots.isEmpty {
                reader.report(key, "\(key) names no certificate", "write [\(usual)]")
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
        /// The endpoint secrets, any of which may have signed a delivery. If there is none, card billing is not
        /// configured.
        let signingSecrets: [Secret]
        let userIDMetadataKey: String
        let graceDays: Int
        /// The API key for reading Stripe's list of events, in visible ASCII.
        let apiKey: Secret?
        /// The base address of the API; nil means Stripe's own. It must be https, or lead to this machine.
        let apiBaseURL: WebAddress?
        /// The page on which users change what they pay by card, such as the login page of Stripe's customer portal.
        let manageURL: WebAddress?

        init(_ reader: inout SettingsReader) {
            signingSecrets = reader.secrets("stripe.signing_secrets")
            userIDMetadataKey = reader.text("stripe.user_id_metadata_key", default: "user_id")
            graceDays = reader.integer("stripe.grace_days", default: 14, in: 0...365)
            apiKey = reader.secret("stripe.api_key")
            apiBaseURL = reader.address("stripe.api_base_url")
            manageURL = reader.address("stripe.manage_url")
            // The HTTP client would show a key that no header can hold in its error, so such a key is refused here.
            if let apiKey, !apiKey.isBlank, !apiKey.text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
                reader.report(
                    "stripe.api_key", "stripe.api_key is no API key", "write one such as rk_live_…, and no more")
            }
            if let apiBaseURL, !apiBaseURL.isEncrypted, !apiBaseURL.isLoopback {
                reader.report(
                    "stripe.api_base_url", "stripe.api_base_url is not https, so others could read the key",
                    "write an https URL, or leave it out")
            }
            if let manageURL, !manageURL.isEncrypted, !manageURL.isLoopback {
                reader.report(
                    "stripe.manage_url", "stripe.manage_url is not https, so others could read what a user does there",
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
