import MariaDB
import Support
import Testing

/// Connections that must be encrypted, to the server they were meant for.
@Suite struct TLSTests {
    /// A certification authority and a server certificate, made for the test.
    private static func certify(_ name: String, in directory: String) throws -> String {
        let base = "\(directory)/\(name)"
        try ChildProcess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=\(name) authority", "-keyout", "\(base)-ca.key", "-out", "\(base)-ca.pem",
        ])
        try ChildProcess.run([
            "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(base).key", "-out",
            "\(base).csr",
        ])
        try ChildProcess.run([
            "openssl", "x509", "-req", "-days", "2", "-in", "\(base).csr", "-CA", "\(base)-ca.pem", "-CAkey",
            "\(base)-ca.key", "-CAcreateserial", "-copy_extensions", "copy", "-out", "\(base).pem",
        ])
        try ChildProcess.run(["chmod", "644", "\(base).key"])
        return base
    }

    @Test func `with an authority TLS is used; a wrong authority, a wrong name and a server without TLS are refused`()
        async throws
    {
        let directory = try PrivateMariaDB.makeDirectory()
        let right = try Self.certify("right", in: directory)
        let wrong = try Self.certify("wrong", in: directory)
        var options = PrivateMariaDB.Options()
        options.listensOnLoopback = true
        options.skipsGrants = true
        let plain = try await PrivateMariaDB.start(options)
        defer { plain.kill() }
        options.arguments = ["--ssl-cert=\(right).pem", "--ssl-key=\(right).key", "--bind-address=127.0.0.1,127.0.0.2"]
        let server = try await PrivateMariaDB.start(options)
        defer { server.kill() }

        func cipher(port: Int, host: String = "127.0.0.1", authority: String?) async throws(DatabaseError) -> String {
            let settings = ConnectionSettings(
                endpoints: [.tcp(host: host, port: port)], user: "root", tlsCA: authority)
            let connection = try await Connection.open(settings)
            let cipher = try await connection.with { (session) throws(DatabaseError) in
                try session.query(SQLStatement("cipher", "SHOW SESSION STATUS LIKE 'Ssl_cipher'"))[0].text(1)
            }
            await connection.close()
            return cipher
        }

        #expect(try await cipher(port: server.port, authority: "\(right)-ca.pem").hasPrefix("TLS_"))
        #expect(try await cipher(port: server.port, authority: nil).isEmpty)
        for (port, host, authority) in [
            (server.port, "127.0.0.1", wrong), (server.port, "127.0.0.2", right), (plain.port, "127.0.0.1", right),
        ] {
            let refusal = await #expect(throws: DatabaseError.self) {
                try await cipher(port: port, host: host, authority: "\(authority)-ca.pem")
            }
            #expect(refusal?.cause == .connectionLost && refusal?.code == 2026)
            #expect(refusal?.words.hasPrefix("- at \(host):\(port), as root: ") == true, "\(refusal?.words ?? "")")
        }
        // Several units in a row: tickets that wait in the socket must not look like a farewell.
        let settings = ConnectionSettings(
            endpoints: [.tcp(host: "127.0.0.1", port: plain.port + 1), .tcp(host: "127.0.0.1", port: server.port)],
            user: "root", tlsCA: "\(right)-ca.pem")
        let connection = try await Connection.open(settings)
        for _ in 0..<5 {
            try await connection.with { (session) throws(DatabaseError) in try session.ping() }
        }
        await connection.close()
    }
}
