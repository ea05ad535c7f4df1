extension Settings {
    /// `http`: the address of the server and the access to its metrics.
    struct HTTP: Hashable, Sendable {
        let host: String
        /// The port; 0 takes any free one.
        let port: UInt16
        /// The proxies whose `X-Forwarded-For` is trusted.
        let trustedProxies: [AddressRange]
        /// The origins of web pages that may call with a user's token.
        let allowedOrigins: [PageOrigin]
        /// The port that serves `/metrics` without a token; nil if there is none.
        let metricsPort: UInt16?
        /// The token for `/metrics` on the main port; nil if the main port does not serve it.
        let metricsToken: Secret?

        init(_ reader: inout SettingsReader) {
            host = reader.text("http.host", default: "127.0.0.1")
            port = UInt16(reader.integer("http.port", default: 8080, in: 0...65_535))
            trustedProxies = reader.parsedList(
                "http.trusted_proxies", form: "an IP address or a block such as 10.0.0.0/8", AddressRange.init)
            allowedOrigins = reader.origins("http.allowed_origins")
            metricsPort = reader.integerOrNever("http.metrics_port", default: 0, upTo: 65_535).map { UInt16($0) }
            metricsToken = reader.secret("http.metrics_token")
            if host.isEmpty {
                reader.report("http.host", "http.host is empty", "write the address to listen on, such as 0.0.0.0")
            }
            if port != 0, port == metricsPort {
                reader.report(
                    "http.metrics_port", "http.metrics_port is also http.port",
                    "write another port, or 0 for none")
            }
        }
    }

    /// `rate_limits`: requests per minute for each user, and sign-ins of staff and of Apple accounts for each network;
    /// nil means no limit.
    struct RateLimits: Hashable, Sendable {
        let attachPerMinute: Int?
        let restorePerMinute: Int?
        let readPerMinute: Int?
        let signInsPerMinute: Int?
        let appleSignInsPerMinute: Int?

        private static let highest = 1_000_000

        init(_ reader: inout SettingsReader) {
            attachPerMinute = reader.integerOrNever(
                "rate_limits.attach_per_minute", default: 60, upTo: Self.highest)
            restorePerMinute = reader.integerOrNever(
                "rate_limits.restore_per_minute", default: 10, upTo: Self.highest)
            readPerMinute = reader.integerOrNever("rate_limits.read_per_minute", default: 600, upTo: Self.highest)
            signInsPerMinute = reader.integerOrNever("rate_limits.sign_ins_per_minute", default: 30, upTo: Self.highest)
            appleSignInsPerMinute = reader.integerOrNever(
                "rate_limits.apple_sign_ins_per_minute", default: 600, upTo: Self.highest)
        }
    }
}
