import Foundation
import Support
import Testing

/// `gatepass dev` as a process: its lock, its database and its end.
@Suite(.serialized) struct DevProcessTests {
    @Test func `one installation has one server, kill -9 leaves it usable at once, and SIGTERM leaves nothing running`()
        async throws
    {
        let data = URL(fileURLWithPath: "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: data) }  // it is under /tmp
        let first = try ServingProcess("dev", ["--data-dir", data.path])
        defer { first.remove() }
        #expect(await first.answers("/readyz", 200))

        let second = try ServingProcess("dev", ["--data-dir", data.path])
        defer { second.remove() }
        #expect(await ServingProcess.end(of: second.child) == 1)
        #expect(second.log.contains("another `gatepass dev` runs in \(data.path)"))
        #expect(try await first.get("/readyz").status == 200)
        #expect(FileManager.default.fileExists(atPath: data.path + "/running"))

        first.child.send(SIGKILL)
        #expect(await ServingProcess.end(of: first.child) != 0)
        let third = try ServingProcess("dev", ["--data-dir", data.path])
        defer { third.remove() }
        #expect(await third.answers("/readyz", 200))
        #expect(await third.end() == 0)
        #expect(try Self.servers(on: data) == 0)
        #expect(!FileManager.default.fileExists(atPath: data.path + "/running"))
    }

    @Test func `without --port the server listens at http.port, where its health is asked`() async throws {
        let data = URL(fileURLWithPath: "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: data) }  // it is under /tmp
        let log = URL(fileURLWithPath: try PrivateMariaDB.makeDirectory())
        defer { try? FileManager.default.removeItem(at: log) }  // it is under /tmp
        let environment = ["GATEPASS_HTTP_PORT": "\(PrivateMariaDB.freePort())"]
        let child = try ServingProcess.start(["dev", "--data-dir", data.path], environment: environment, in: log)
        defer { child.send(SIGKILL) }
        let deadline = ContinuousClock.now.advanced(by: .seconds(180))
        var health = try await DevelopmentInstallation.command(["health"], environment: environment)
        while health.status != 0, ContinuousClock.now < deadline {
            health = try await DevelopmentInstallation.command(["health"], environment: environment)
        }
        #expect(health.status == 0, "\(health.text)")
        child.send(SIGTERM)
        #expect(await ServingProcess.end(of: child) == 0)
    }

    @Test func `a database that hangs is told by readiness, and liveness goes on`() async throws {
        let data = URL(fileURLWithPath: "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: data) }  // it is under /tmp
        let server = try ServingProcess("dev", ["--data-dir", data.path])
        defer { server.remove() }
        #expect(await server.answers("/readyz", 200))
        #expect(try await server.get("/readyz").body.contains(#"{"name":"trust_roots","ok":true,"detail":"2 loaded"}"#))
        let file = data.path + "/mariadb/server.pid"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let database = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        kill(database, SIGSTOP)
        defer { kill(database, SIGCONT) }
        // The signal has arrived when the kernel says so: until then the server may still answer.
        while try !String(contentsOfFile: "/proc/\(database)/status", encoding: .utf8).contains("State:\tT") {
            try await Task.sleep(for: .milliseconds(10))
        }
        for _ in 0..<3 {
            #expect(try await server.get("/readyz").status == 503)
        }
        #expect(try await server.get("/livez").status == 200)
        kill(database, SIGCONT)
        #expect(await server.answers("/readyz", 200))
        #expect(await server.end() == 0)
    }

    @Test func `a server that is stopped while its database starts leaves nothing running`() async throws {
        let data = URL(fileURLWithPath: "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: data) }  // it is under /tmp
        let first = try ServingProcess("dev", ["--data-dir", data.path])
        defer { first.remove() }
        #expect(await first.answers("/readyz", 200))
        _ = await first.end()
        for milliseconds in [150, 300, 450] {
            let server = try ServingProcess("dev", ["--data-dir", data.path])
            defer { server.remove() }
            try await Task.sleep(for: .milliseconds(milliseconds))
            _ = await server.end()
            var checks = 0
            while try Self.servers(on: data) > 0, checks < 600 {
                try await Task.sleep(for: .milliseconds(100))
                checks += 1
            }
            #expect(try Self.servers(on: data) == 0, "stopped after \(milliseconds) ms")
        }
    }

    @Test func `a refund is of the newest purchase that was delivered, and not before it was made`() async throws {
        let data = URL(fileURLWithPath: "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: data) }  // it is under /tmp
        let server = try ServingProcess("dev", ["--data-dir", data.path])
        defer { server.remove() }
        #expect(await server.answers("/readyz", 200))
        func simulate(_ arguments: [String]) async throws -> (status: Int32, transaction: String?, output: String) {
            let output = server.directory.appendingPathComponent("\(UInt32.random(in: .min ... .max))")
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let child = try ServingProcess.start(
                ["simulate"] + arguments + ["--user", "bob", "--json", "--data-dir", data.path], in: output)
            let status = await ServingProcess.end(of: child)
            let text = try String(contentsOf: output.appendingPathComponent("log"), encoding: .utf8)
            let name = text.range(of: #""transaction_id" : ""#)
            return (status, name.map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }, text)
        }
        let old = try await simulate(["purchase", "--at", "2021-06-01T00:00:00Z"])
        #expect(old.status == 0, "\(old.output)")
        let sold = try await simulate(["purchase"])
        #expect(sold.status == 0 && sold.transaction != nil, "\(sold.output)")
        #expect(try await simulate(["purchase", "--print"]).status == 0)
        let early = try await simulate(["refund", "--at", "2020-01-01T00:00:00Z"])
        #expect(early.status == 1 && early.output.contains("name a later --at"), "\(early.output)")
        let refunded = try await simulate(["refund"])
        #expect(refunded.status == 0 && refunded.transaction == sold.transaction, "\(refunded.output)")
        #expect(await server.end() == 0)
    }

    @Test func `settings of stores that have no effect are named, and that Apple accounts sign in`() async throws {
        let lines = """
            apple: {issuer_id: a, key_id: b, private_key_file: c, ocsp: false}
            auth: {apple_accounts: {enabled: true}}
            stripe: {signing_secrets: [whsec_d], grace_days: 3}
            """
        let installation = try await DevelopmentInstallation.open(adding: lines)
        defer { installation.close() }
        let file = installation.directory + "/gatepass.yaml"
        let names = ["issuer_id", "key_id", "private_key_file"].map { "apple.\($0) (\(file):1)" }
        let line =
            "gatepass: the stores are simulated here, so these settings have no effect: "
            + (names + ["stripe.signing_secrets (\(file):3)"]).joined(separator: ", ") + "\n"
        #expect(installation.server.log.contains(line), "\(installation.server.log)")
        #expect(await installation.server.says("│ Apple accounts sign in: POST /api/iap/apple/sign-in "))
        let refused = try await installation.run(["token", "apple-9fJpKd4gYx0R8mA1cQ2vTw"])
        #expect(refused.status == 64 && refused.text.contains("stands for an Apple account"), "\(refused.text)")
        #expect(refused.text.contains("signs in by POST /api/iap/apple/sign-in with an app transaction"))
        #expect(try await installation.run(["token", "apples"]).status == 0)
    }

    @Test func `a login of one's own is refused by its name and place, before anything is made`() async throws {
        let data = "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: data) }  // it is under /tmp
        let file = "/tmp/gatepass-login-\(UInt32.random(in: .min ... .max)).yaml"
        defer { try? FileManager.default.removeItem(atPath: file) }  // it is under /tmp
        try EndToEndServer.write("auth:\n  jwks_url: https://login.example/keys\n", to: file)
        for (words, environment, named) in [
            (["--config", file], [:], "auth.jwks_url names a login of your own (\(file):2)"),
            (
                [], ["GATEPASS_AUTH_HS256_SECRET": String(repeating: "0aZ/", count: 8)],
                "auth.hs256_secret names a login of your own (GATEPASS_AUTH_HS256_SECRET)"
            ),
            ([], ["GATEPASS_AUTH_ISSUER": "me"], "auth.issuer names a login of your own (GATEPASS_AUTH_ISSUER)"),
        ] as [([String], [String: String], String)] {
            let server = try ServingProcess("dev", ["--data-dir", data] + words, environment: environment)
            defer { server.remove() }
            #expect(await ServingProcess.end(of: server.child) == 1)
            #expect(server.log.contains(named), "\(server.log)")
            #expect(!FileManager.default.fileExists(atPath: data))
        }
    }

    /// How many database servers run on the installation `data`.
    private static func servers(on data: URL) throws -> Int {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        return processes.count { process in
            // It has ended meanwhile.
            guard let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else { return false }
            return String(decoding: line, as: UTF8.self).contains("--datadir=\(data.path)/")
        }
    }
}
