import Entitlements

extension Settings {
    /// `dashboard`: where the pages for people are, and how long a sign-in to them lasts.
    struct Dashboard: Hashable, Sendable {
        let enabled: Bool
        /// The address that the port of its own listens on.
        let host: String
        let port: UInt16
        /// True if the pages are on the main port, and have no port of their own.
        let onMainPort: Bool
        /// The origin under which people reach the pages; nil for `http://localhost` with the port.
        let address: PageOrigin?
        let idleMinutes: Int
        let sessionHours: Int

        init(_ reader: inout SettingsReader, _ environment: Environment) {
            enabled = reader.boolean("dashboard.enabled", default: true)
            host = reader.text("dashboard.host", default: "127.0.0.1")
            port = UInt16(reader.integer("dashboard.port", default: 8081, in: 0...65_535))
            onMainPort = reader.boolean("dashboard.on_main_port", default: environment == .development)
            address = Self.address(&reader)
            idleMinutes = reader.integer("dashboard.idle_minutes", default: 60, in: 1...10_080)
            sessionHours = reader.integer("dashboard.session_hours", default: 12, in: 1...Settings.longestHours)
            if host.isEmpty {
                reader.report(
                    "dashboard.host", "dashboard.host is empty", "write the address to listen on, such as 127.0.0.1")
            }
        }

        /// Reads the origin; over plain http only this machine is one, because passwords and cookies could be read.
        private static func address(_ reader: inout SettingsReader) -> PageOrigin? {
            let key = "dashboard.address"
            guard let address = reader.address(key) else { return nil }
            guard let origin = PageOrigin(address.text), origin.text == address.text else {
                reader.report(
                    key, "\(key) is not the origin of a web page", "write it such as https://gatepass.example.com")
                return nil
            }
            guard address.isEncrypted || address.isLoopback else {
                reader.report(
                    key, "\(key) is not https, so others could read passwords",
                    "write an https URL, or one of localhost")
                return nil
            }
            return origin
        }

        /// True if browsers reach the pages over TLS.
        var isSecure: Bool { address?.text.hasPrefix("https:") ?? false }

        /// The origins of the pages, given the port that is listened on. The first is for links.
        func origins(port: Int) -> [String] {
            address.map { [$0.text] } ?? ["http://localhost:\(port)", "http://127.0.0.1:\(port)"]
        }
    }
}
