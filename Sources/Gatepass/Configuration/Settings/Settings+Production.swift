extension Settings {
    /// Notes the settings with which production refuses to start. These are secrets that are missing, too short, blank,
    /// a default or a placeholder, sign-in keys that are fetched without TLS, and a dashboard on the public port
    /// without an address.
    ///
    /// Development roots are refused when the roots are read.
    func refuseUnfitForProduction(_ reader: inout SettingsReader) {
        guard environment == .production else { return }
        switch auth.verification {
        case .sharedSecret(let secret, let previous):
            refuse(secret, of: "auth.hs256_secret", &reader)
            for secret in previous { refuse(secret, of: "auth.hs256_previous", &reader) }
        case .keySet(let address):
            if !address.isEncrypted {
                reader.report(
                    "auth.jwks_url", "auth.jwks_url is not https, so others could put keys of their own in its place",
                    "write an https URL")
            }
        case .publicKey: break
        case nil:
            // If the setting could not be read, it already has a fault.
            if auth.appleTokenDays == nil, reader.faultyKeys.isDisjoint(with: Auth.signInKeys) {
                reader.report(
                    "auth", "production needs to know how users sign in",
                    "set one of auth.hs256_secret, auth.public_key_file and auth.jwks_url, or "
                        + "auth.apple_accounts.enabled")
            }
        }
        refuseKeyEncryptionKey(&reader)
        refuseUnknownAddress(&reader)
        refuseShort(
            stripe.signingSecrets, of: "stripe.signing_secrets", "copy the secret of the webhook endpoint: whsec_…",
            &reader)
        refuseShort(
            http.metricsToken.map { [$0] } ?? [], of: "http.metrics_token", "write a longer one: openssl rand -hex 24",
            &reader)
        for key in reader.blankSecretKeys where !reader.faultyKeys.contains(key) {
            reader.report(key, "\(key) is nothing but blanks", "write the secret, or leave it out")
        }
    }

    private func refuse(_ secret: Secret, of key: String, _ reader: inout SettingsReader) {
        if secret.text == Auth.developmentSecret {
            reader.report(
                key, "\(key) is the development secret, which everybody knows",
                "write a secret of your own: openssl rand -base64 48")
        } else if secret.text.utf8.count < Auth.shortestSecretBytes {
            reader.report(
                key, "\(key) is shorter than \(Auth.shortestSecretBytes) bytes",
                "write a longer one: openssl rand -base64 48")
        }
    }

    /// Refuses secrets that are short enough to guess.
    private func refuseShort(_ secrets: [Secret], of key: String, _ remedy: String, _ reader: inout SettingsReader) {
        let shortest = 16
        if secrets.contains(where: { !$0.isBlank && $0.text.count < shortest }) {
            reader.report(key, "\(key) is shorter than \(shortest) characters", remedy)
        }
    }

    /// Refuses the staff's pages on the port of the API unless an address says that they are meant to be there.
    private func refuseUnknownAddress(_ reader: inout SettingsReader) {
        let (key, address) = ("dashboard.on_main_port", "dashboard.address")
        guard dashboard.enabled, dashboard.onMainPort, dashboard.address == nil else { return }
        guard !reader.faultyKeys.contains(address) else { return }
        reader.report(
            key,
            "\(key) puts the staff's pages on the port of the API, and \(address) does not say where people reach them",
            "write \(address), such as https://gatepass.example.com, or leave \(key) out")
    }

    private func refuseKeyEncryptionKey(_ reader: inout SettingsReader) {
        if tokens.previousKeyEncryptionKeys.contains(.development) {
            let previous = "tokens.previous_key_encryption_keys"
            reader.report(
                previous, "\(previous) has the development key, which everybody knows",
                "remove it, and start with a database that no development server has used")
        }
        let key = "tokens.key_encryption_key"
        guard let value = tokens.keyEncryptionKey else {
            if !reader.faultyKeys.contains(key) {
                reader.report(
                    key, "production needs \(key)", "write the base64 of 32 random bytes: openssl rand -base64 32")
            }
            return
        }
        if value == .development {
            reader.report(
                key, "\(key) is the development key, which everybody knows",
                "write the output of: openssl rand -base64 32")
        }
        if value.isPlaceholder {
            reader.report(
                key, "\(key) is one byte repeated, which is no secret", "write the output of: openssl rand -base64 32")
        }
    }
}
