extension Settings {
    /// `database`: the address of the MariaDB server and the connection pool.
    struct Database: Hashable, Sendable {
        /// The address of a server: a host and a port.
        struct Address: Hashable, Sendable {
            let host: String
            let port: UInt16

            /// The address that `text` names: `host`, `host:port`, `[address]:port`, or an IPv6 address without a port.
            init?(_ text: String, port standard: UInt16) {
                let parts = text.split(separator: ":", omittingEmptySubsequences: false)
                guard text.hasPrefix("[") || parts.count == 2 else {
                    (host, port) = (text, standard)
                    return
                }
                let end = text.lastIndex(of: "]").map(text.index(after:)) ?? parts[0].endIndex
                let rest = text[end...]
                let named = rest.isEmpty ? standard : rest.hasPrefix(":") ? UInt16(rest.dropFirst()) : nil
                guard let named, named > 0 else { return nil }
                host = text[..<end].filter { $0 != "[" && $0 != "]" }
                port = named
            }
        }

        /// The servers, at least one, in the order of preference: a server and its replicas, or the nodes of a Galera
        /// cluster.
        let hosts: [Address]
        /// A Unix socket, used in place of `hosts` and `port`.
        let socket: String?
        let name: String
        let user: String
        let password: Secret?
        let poolSize: Int
        /// A PEM file with the authority that signed the server's certificate. If it is set, connections use TLS.
        let tlsCA: String?
        /// The longest time in which a server must accept a connection.
        let connectSeconds: Int
        /// The longest time in which it must answer a statement.
        let readSeconds: Int

        init(_ reader: inout SettingsReader) {
            let texts = reader.textOrTexts("database.host", default: "127.0.0.1")
            let port = UInt16(reader.integer("database.port", default: 3306, in: 1...65_535))
            hosts = texts.compactMap { Address($0, port: port) }
            socket = reader.optionalText("database.socket")
            name = reader.text("database.name", default: "gatepass")
            user = reader.text("database.user", default: "gatepass")
            password = reader.secret("database.password")
            poolSize = reader.integer("database.pool_size", default: 16, in: 1...1_000)
            tlsCA = reader.optionalText("database.tls_ca")
            connectSeconds = reader.integer("database.connect_seconds", default: 2, in: 1...60)
            // A statement waits for a row lock for three seconds, which must not look like a lost connection.
            readSeconds = reader.integer("database.read_seconds", default: 5, in: 4...300)
            if texts.isEmpty || hosts.contains(where: \.host.isEmpty) {
                reader.report("database.host", "database.host names no host", "write a host name, or a list of them")
            } else if hosts.count < texts.count {
                reader.report(
                    "database.host", "database.host has a port that is none", "write host:port, such as db1:3306")
            }
            if name.isEmpty { reader.report("database.name", "database.name is empty", "write the schema's name") }
            if user.isEmpty { reader.report("database.user", "database.user is empty", "write the user's name") }
        }
    }

    /// `migrations`: the reaction of a start to missing migrations.
    struct Migrations: Hashable, Sendable {
        /// The reaction: refuse to start, wait until the migrations are applied, or apply them.
        enum OnStart: String, Hashable, Sendable, CaseIterable {
            case refuse
            case wait
            case apply
        }

        let onStart: OnStart

        init(_ reader: inout SettingsReader, _ environment: Environment) {
            onStart = reader.choice("migrations.on_start", default: environment == .development ? .apply : .refuse)
        }
    }

    /// `catalog`: the reaction of a start or SIGHUP to a file that differs from the newest version in the database.
    struct Catalogue: Hashable, Sendable {
        /// The reaction: ignore the file with a warning, or apply it as a new version.
        enum OnChange: String, Hashable, Sendable, CaseIterable {
            case refuse
            case apply
        }

        let onChange: OnChange

        init(_ reader: inout SettingsReader, _ environment: Environment) {
            onChange = reader.choice("catalog.on_change", default: environment == .development ? .apply : .refuse)
        }
    }

    /// `retention`: the days for which data that are no facts are kept; nil keeps them for ever.
    struct Retention: Hashable, Sendable {
        let signedTextsDays: Int?
        let inboxDays: Int?
        let accessLogDays: Int?

        init(_ reader: inout SettingsReader) {
            signedTextsDays = reader.integerOrNever("retention.signed_texts_days", default: 0, upTo: longestDays)
            inboxDays = reader.integerOrNever("retention.inbox_days", default: 365, upTo: longestDays)
            accessLogDays = reader.integerOrNever("retention.access_log_days", default: 30, upTo: longestDays)
        }
    }
}
