import CMariaDB

/// A connection of the C library; it is closed when this object is released.
///
/// A wire is not thread-safe: it belongs to the thread of one `Connection`.
final class Wire {
    let handle: UnsafeMutablePointer<MYSQL>
    /// The largest packet that the server accepts, minus room for a header. It is set once the session's settings are
    /// read.
    var maxPacketBytes = 1 << 20

    private static let isLibraryReady = cmariadb_library_init() == 0

    /// Connects to `endpoint`. Throws `.connectionLost` for every failure; the code tells the reason.
    init(to endpoint: ConnectionSettings.Endpoint, _ settings: ConnectionSettings) throws(DatabaseError) {
        guard Self.isLibraryReady, let handle = mysql_init(nil) else {
            throw DatabaseError(.connectionLost, code: Int(CR_OUT_OF_MEMORY), statement: Self.connecting)
        }
        // All members are set here, so an error thrown from now on runs `deinit`, which closes the handle.
        self.handle = handle
        setOptions(settings)
        let connected: UnsafeMutablePointer<MYSQL>?
        switch endpoint {
        case .socket(let path):
            connected = mysql_real_connect(
                handle, nil, settings.user, settings.password, settings.database, 0, path, 0)
        case .tcp(let host, let port):
            if let authority = settings.tlsCA { requireTLS(trusting: authority) }
            connected = mysql_real_connect(
                handle, host, settings.user, settings.password, settings.database, UInt32(port), nil, 0)
            guard connected == nil || settings.tlsCA == nil || mysql_get_ssl_cipher(handle) != nil else {
                let code = Int(CR_SSL_CONNECTION_ERROR)
                throw DatabaseError(
                    .connectionLost, code: code, statement: Self.connecting,
                    words: settings.words("the server speaks no TLS", code, at: endpoint))
            }
        }
        guard connected != nil else {
            let cause = error(at: Self.connecting)
            throw DatabaseError(
                .connectionLost, code: cause.code, sqlState: cause.sqlState, statement: Self.connecting,
                words: settings.words(String(cString: mysql_error(handle)), cause.code, at: endpoint))
        }
    }

    deinit {
        mysql_close(handle)
    }

    /// Runs one statement in the text protocol and drops its result. Throws the server's refusal or a lost connection.
    func run(_ statement: SQLStatement) throws(DatabaseError) {
        var sql = statement.sql
        let status = sql.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { mysql_real_query(handle, $0.baseAddress, UInt($0.count)) }
        }
        guard status == 0 else { throw error(at: statement.name) }
        if let result = mysql_store_result(handle) {
            mysql_free_result(result)
        } else if mysql_field_count(handle) > 0 {
            throw error(at: statement.name)
        }
    }

    /// Pings the server. Throws if the connection is lost.
    func ping() throws(DatabaseError) {
        guard mysql_ping(handle) == 0 else { throw error(at: "ping") }
    }

    /// True if no bytes wait to be read, as expected between two commands.
    var isQuiet: Bool { cmariadb_is_quiet(handle) != 0 }

    /// True if a transaction is open, according to the server's last status.
    var isInTransaction: Bool { cmariadb_is_in_transaction(handle) != 0 }

    /// The server's version as a number, such as 101119 for 10.11.19.
    var serverVersion: Int { Int(mysql_get_server_version(handle)) }

    /// The server's version as it writes it, such as `10.11.19-MariaDB`.
    var serverName: String { String(cString: mysql_get_server_info(handle)) }

    /// The id of this connection, which `KILL` takes.
    var threadID: UInt64 { UInt64(mysql_thread_id(handle)) }

    /// The error of the last call.
    func error(at name: String) -> DatabaseError {
        DatabaseError(
            code: Int(mysql_errno(handle)), sqlState: String(cString: mysql_sqlstate(handle)), statement: name)
    }

    private func setOptions(_ settings: ConnectionSettings) {
        cmariadb_set_number(handle, MYSQL_OPT_CONNECT_TIMEOUT, UInt32(settings.connectTimeoutSeconds))
        cmariadb_set_number(handle, MYSQL_OPT_READ_TIMEOUT, UInt32(settings.readTimeoutSeconds))
        cmariadb_set_number(handle, MYSQL_OPT_WRITE_TIMEOUT, UInt32(settings.writeTimeoutSeconds))
        cmariadb_set_number(handle, MYSQL_OPT_LOCAL_INFILE, 0)
        cmariadb_set_text(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4")
    }

    private func requireTLS(trusting authority: String) {
        cmariadb_set_flag(handle, MYSQL_OPT_SSL_ENFORCE, 1)
        cmariadb_set_text(handle, MYSQL_OPT_SSL_CA, authority)
        cmariadb_set_flag(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, 1)
    }

    static let connecting = "connect"
}
