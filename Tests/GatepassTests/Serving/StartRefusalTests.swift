import Crypto
import Foundation
import Support
import Testing

/// What keeps a server from starting is told in a sentence that names the key or the place.
@Suite struct StartRefusalTests {
    private static let environment = [
        "GATEPASS_DATABASE_SOCKET": "/tmp/there-is-no-socket",
        "GATEPASS_AUTH_HS256_SECRET": "a-secret-of-the-tests-with-64-bytes-0123456789-0123456789-012345",
    ]

    @Test func `files that cannot be used are refused by serve and by config check in the same words`() async throws {
        let key = P384.Signing.PrivateKey().publicKey.pemRepresentation
        for (name, text, variables, words) in [
            (
                "root.cer", nil, ["GATEPASS_APPLE_TRUST_ROOTS"],
                "apple.trust_roots: %@ cannot be read: there is no such file"
            ),
            (
                "ca.pem", nil, ["GATEPASS_DATABASE_TLS_CA"],
                "database.tls_ca: %@ cannot be read: there is no such file"
            ),
            (
                "root.cer", "x", ["GATEPASS_APPLE_TRUST_ROOTS"],
                "apple.trust_roots: %@ is not a certificate in DER or PEM"
            ),
            (
                "key.pem", key, ["GATEPASS_AUTH_PUBLIC_KEY_FILE"],
                "auth.public_key_file: %@ is no public key in PEM of P-256, Ed25519 or RSA of at least 2048 bits"
            ),
        ] as [(String, String?, [String], String)] {
            let directory = try Self.directory()
            defer { try? FileManager.default.removeItem(at: directory) }  // it is under /tmp
            let file = directory.appendingPathComponent(name)
            try text.map { try Data($0.utf8).write(to: file) }
            var environment = Self.environment
            if name == "key.pem" { environment["GATEPASS_AUTH_HS256_SECRET"] = nil }
            for variable in variables { environment[variable] = file.path }
            for command in [["serve", "--port", "0"], ["config", "check"]] {
                let child = try ServingProcess.start(command, environment: environment, in: directory)
                #expect(await ServingProcess.end(of: child) == 1, "\(command)")
            }
            let lines = try Self.log(directory).split(separator: "\n")
            let expected = "gatepass: " + words.replacing("%@", with: file.path)
            #expect(lines.count { $0 == expected } == 2, "\(lines)")
        }
    }

    @Test func `a port that is taken is named`() async throws {
        let first = try ServingProcess("serve", environment: Self.environment)
        defer { first.remove() }
        #expect(await first.answers("/livez", 200))
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }  // it is under /tmp
        let second = try ServingProcess.start(
            ["serve", "--port", "\(first.port)"], environment: Self.environment, in: directory)
        #expect(await ServingProcess.end(of: second) == 1)
        let log = try Self.log(directory)
        #expect(
            log.contains("gatepass: 127.0.0.1:\(first.port) cannot be listened at (Address already in use)"), "\(log)")
    }

    @Test func `a host that is none is named`() async throws {
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }  // it is under /tmp
        let environment = Self.environment.merging(["GATEPASS_HTTP_HOST": "there-is-none.invalid"]) { $1 }
        let server = try ServingProcess.start(["serve", "--port", "0"], environment: environment, in: directory)
        #expect(await ServingProcess.end(of: server) == 1)
        let log = try Self.log(directory)
        #expect(log.contains("gatepass: there-is-none.invalid:0 cannot be listened at ("), "\(log)")
        #expect(log.contains("): name another with http.host and http.port, or --port\n"), "\(log)")
    }

    @Test func `a credentials directory that cannot be read is refused, and not taken for an empty one`() async throws {
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }  // it is under /tmp
        let nowhere = directory.path + "/credentials"
        let environment = Self.environment.merging(["CREDENTIALS_DIRECTORY": nowhere]) { $1 }
        let child = try ServingProcess.start(["serve", "--port", "0"], environment: environment, in: directory)
        #expect(await ServingProcess.end(of: child) == 1)
        let refusal =
            "gatepass: CREDENTIALS_DIRECTORY: the directory \(nowhere) cannot be read; let the server's user read it, "
            + "or unset the variable\n"
        #expect(try Self.log(directory) == refusal)
    }

    @Test func `a server says that it ends, that it is drained, and that it ended`() async throws {
        for (form, told, ended) in [
            ("json", #""message":"the server ends: "#, #""message":"ended"}"#),
            ("text", " the server ends: ", " ended"),
        ] {
            let server = try ServingProcess(
                "serve", environment: Self.environment.merging(["GATEPASS_LOG_FORMAT": form]) { $1 })
            defer { server.remove() }
            #expect(await server.answers("/livez", 200))
            #expect(!server.log.contains("the server ends"))
            #expect(await server.end() == 0)
            let lines = server.log.split(separator: "\n")
            let places = [told, "drained: every accepted request is answered", ended].map { words in
                lines.firstIndex { $0.contains(words) } ?? -1
            }
            #expect(places[0] >= 0 && places[0] < places[1] && places[1] < places[2], "\(server.log)")
            #expect(lines.last?.hasSuffix(ended) == true, "\(server.log)")
            #expect(lines.allSatisfy { $0.hasPrefix("{") } == (form == "json"), "\(server.log)")
        }
    }

    @Test func `what is less important than the level is not written`() async throws {
        let server = try ServingProcess(
            "serve", environment: Self.environment.merging(["GATEPASS_LOG_LEVEL": "error"]) { $1 })
        defer { server.remove() }
        #expect(await server.answers("/livez", 200))
        #expect(await server.says("no connection to the database"))
        #expect(await server.end() == 0)
        let lines = server.log.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains(#""level":"error""#) }, "\(server.log)")
    }

    @Test func `a metrics port that is taken is named too`() async throws {
        let first = try ServingProcess("serve", environment: Self.environment)
        defer { first.remove() }
        #expect(await first.answers("/livez", 200))
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }  // it is under /tmp
        let environment = Self.environment.merging(["GATEPASS_HTTP_METRICS_PORT": "\(first.port)"]) { $1 }
        let second = try ServingProcess.start(["serve", "--port", "0"], environment: environment, in: directory)
        #expect(await ServingProcess.end(of: second) == 1)
        let log = try Self.log(directory)
        let refusal = "cannot be listened at (Address already in use): name another with http.metrics_port"
        #expect(log.contains("gatepass: 127.0.0.1:\(first.port) \(refusal)"), "\(log)")
    }

    @Test func `a named configuration brings its files along from any directory`() async throws {
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }  // it is under /tmp
        let command = ["config", "check", "--config", TestRun.repository + "/config/gatepass.yaml"]
        let child = try ServingProcess.start(
            command, environment: Self.environment, in: directory, at: directory.path)
        let status = await ServingProcess.end(of: child)
        let log = try Self.log(directory)
        #expect(status == 0, "\(log)")
    }

    private static func directory() throws -> URL {
        let directory = URL(fileURLWithPath: "/tmp/gatepass-\(UInt32.random(in: .min ... .max))", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    private static func log(_ directory: URL) throws -> String {
        try String(contentsOf: directory.appendingPathComponent("log"), encoding: .utf8)
    }
}
