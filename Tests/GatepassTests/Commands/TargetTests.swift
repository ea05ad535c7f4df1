import Foundation
import Support
import Testing

@testable import Gatepass

/// The server that a command is for, and how the command names it on the standard error stream (`docs/operations.md`,
/// "Which server a command is for").
@Suite struct TargetTests {
    /// A command in a folder, and the lines that it begins with.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var arguments: [String] = []
        var variables: [String: String] = [:]
        var credentials: [String: String] = [:]
        /// The text of `config/gatepass.yaml`.
        var file: String?
        /// True if a development server runs in the folder.
        var runsHere = true
        /// The first line, in which `{here}` is the folder's installation and `{there}` another one that runs.
        let target: String
        /// True if a line follows about the folder's server, which runs too.
        var isBeside = false
    }

    private static let production = [
        "GATEPASS_ENVIRONMENT": "production", "GATEPASS_AUTH_HS256_SECRET": String(repeating: "0aZ/", count: 8),
        "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    ]
    private static let usual = "on development, gatepass at 127.0.0.1:3306"

    private static func named(_ variables: [String: String], _ target: String = usual) -> Case {
        let names = variables.keys.sorted().joined(separator: ", ")
        return Case(
            testDescription: "the variables \(names)", variables: variables, target: target, isBeside: true)
    }

    static let cases = [
        Case(testDescription: "nothing runs and nothing is named", runsHere: false, target: usual),
        Case(testDescription: "a server runs in the folder", target: "on development, {here}"),
        Case(
            testDescription: "other variables name no server",
            variables: ["GATEPASS_HTTP_PORT": "9999", "GATEPASS_STRIPE_API_KEY": "rk_1"],
            target: "on development, {here}"),
        named(["GATEPASS_DATABASE_HOST": "db1"], "on development, gatepass at db1:3306"),
        named(
            ["GATEPASS_DATABASE_HOST": "db1,::1,[::2]:3307"],
            "on development, gatepass at db1:3306, [::1]:3306, [::2]:3307"),
        named(["GATEPASS_DATABASE_SOCKET": "/run/db.sock"], "on development, gatepass at /run/db.sock"),
        named(["GATEPASS_DATABASE_PORT": "3307"], "on development, gatepass at 127.0.0.1:3307"),
        named(["GATEPASS_DATABASE_NAME": "shop"], "on development, shop at 127.0.0.1:3306"),
        named(["GATEPASS_DATABASE_NAME": "gatepass"]), named(["GATEPASS_DATABASE_USER": "shop"]),
        named(["GATEPASS_DATABASE_PASSWORD": "secret"]), named(["GATEPASS_DATABASE_PASSWORD_FILE": "{folder}/secret"]),
        named(["GATEPASS_DATABASE_POOL_SIZE": "16"]), named(["GATEPASS_ENVIRONMENT": "development"]),
        named(production, "on production, gatepass at 127.0.0.1:3306"),
        Case(
            testDescription: "nothing runs, and production is named", variables: production, runsHere: false,
            target: "on production, gatepass at 127.0.0.1:3306"),
        Case(
            testDescription: "a credential of the database", credentials: ["database.password": "secret"],
            target: usual, isBeside: true),
        Case(
            testDescription: "a credential of something else", credentials: ["auth.hs256_secret": "secret"],
            target: "on development, {here}"),
        Case(
            testDescription: "a credential that names the environment", credentials: ["environment": "development"],
            target: usual, isBeside: true),
        Case(testDescription: "the shipped file", file: "shipped", target: "on development, {here}"),
        Case(
            testDescription: "a file with the defaults",
            file: "environment: development\ndatabase: {port: 3306, password: \"\"}",
            target: "on development, {here}"),
        Case(
            testDescription: "a file with a database", file: "database: {host: [db1, db2], name: shop}",
            target: "on development, shop at db1:3306, db2:3306", isBeside: true),
        Case(
            testDescription: "a file with a password", file: "database: {password: secret}", target: usual,
            isBeside: true),
        Case(
            testDescription: "a file of production", variables: production.filter { $0.key != "GATEPASS_ENVIRONMENT" },
            file: "environment: production", target: "on production, gatepass at 127.0.0.1:3306", isBeside: true),
        Case(
            testDescription: "a file that --config names", arguments: ["--config", "config/gatepass.yaml"],
            file: "database: {name: shop}", target: "on development, shop at 127.0.0.1:3306", isBeside: true),
        Case(
            testDescription: "the folder by --data-dir", arguments: ["--data-dir", ".gatepass"],
            variables: ["GATEPASS_DATABASE_HOST": "db1"], target: "on development, {here}"),
        Case(
            testDescription: "another installation by --data-dir, whatever variables say",
            arguments: ["--data-dir", "{there}"],
            variables: ["GATEPASS_ENVIRONMENT": "production", "GATEPASS_DATABASE_HOST": "db1"],
            credentials: ["database.password": "secret"], file: "database: {name: shop, tls_ca: ca.pem}",
            target: "on development, {there}"),
    ]

    /// Runs `body` in a new folder, beside which another development server runs. Throws what `body` throws.
    private static func inFolder(
        _ one: Case, _ body: (_ folder: String, _ environment: [String: String]) async throws -> Void
    ) async throws {
        let folder = "/tmp/gatepass-target-\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }  // it is under /tmp
        for part in ["config", "credentials"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
        }
        try EndToEndServer.write("secret", to: folder + "/secret")
        if let file = one.file {
            let text = file == "shipped" ? try ConfigurationExampleTests.example() : file
            try EndToEndServer.write(text, to: folder + "/config/gatepass.yaml")
        }
        for (name, text) in one.credentials {
            try EndToEndServer.write(text, to: "\(folder)/credentials/\(name)")
        }
        if one.runsHere { try announce(in: folder + "/.gatepass") }
        try announce(in: folder + "/there")
        var environment = one.variables.mapValues { $0.replacing("{folder}", with: folder) }
        environment["CREDENTIALS_DIRECTORY"] = one.credentials.isEmpty ? nil : folder + "/credentials"
        try await body(folder, environment)
    }

    /// Writes what a development server announces, which counts while this process runs. Throws an error of the file
    /// system.
    private static func announce(in directory: String) throws {
        try Installation(path: directory).announce([
            "address": "http://127.0.0.1:1", "environment": "development",
            "database.socket": directory + "/there-is-no-socket", "database.name": "gatepass",
            "database.user": "nobody", "database.password": "", "database.tls_ca": "",
        ])
    }

    private static func filled(_ text: String, _ folder: String) -> String {
        text.replacing("{here}", with: folder + "/.gatepass").replacing("{there}", with: folder + "/there")
    }

    private static func beside(_ folder: String) -> String {
        "a development server runs in \(folder)/.gatepass too: --data-dir means that one\n"
    }

    @Test(arguments: cases)
    func `an act names the server that it is for, and another one that could be meant`(_ one: Case) async throws {
        try await Self.inFolder(one) { folder, environment in
            let answer = try await DevelopmentInstallation.command(
                ["keys", "create", "--scopes", "read", "--dry-run"] + one.arguments.map { Self.filled($0, folder) },
                environment: environment, at: folder)
            #expect(answer.status == 0, "\(answer.text)")
            #expect(answer.target == Self.filled(one.target, folder))
            let preview = "A key named server would be made, with the scopes read.\n"
            #expect(answer.text == (one.isBeside ? Self.beside(folder) : "") + preview)
        }
    }

    @Test(arguments: cases)
    func `a command that only reads names its server where another one could be meant`(_ one: Case) async throws {
        try await Self.inFolder(one) { folder, environment in
            let answer = try await DevelopmentInstallation.command(
                ["catalog", "plan", "nowhere.yaml"] + one.arguments.map { Self.filled($0, folder) },
                environment: environment, at: folder)
            #expect(answer.status == 1, "there is no such catalogue")
            #expect(answer.target == (one.isBeside ? Self.filled(one.target, folder) : nil), "\(answer.text)")
            #expect(answer.text.hasPrefix(Self.beside(folder)) == one.isBeside, "\(answer.text)")
        }
    }

    @Test func `a data directory without a server is refused, and what a killed server left behind is none`()
        async throws
    {
        try await Self.inFolder(Case(testDescription: "", runsHere: false, target: "")) { folder, _ in
            func refused(_ directory: String) async throws {
                let answer = try await DevelopmentInstallation.command(
                    ["keys", "create", "--scopes", "read", "--dry-run", "--data-dir", directory], at: folder)
                #expect(answer.status == 1 && answer.target == nil)
                let path = directory.hasPrefix("/") ? directory : "\(folder)/\(directory)"
                #expect(
                    answer.text == "gatepass: no development server runs in \(path): start `gatepass dev` there, or "
                        + "leave --data-dir out\n")
            }
            try await refused(".gatepass")
            try await refused("/nowhere")
            #expect(!FileManager.default.fileExists(atPath: folder + "/.gatepass"), "nothing is made")
            try FileManager.default.createDirectory(
                atPath: folder + "/.gatepass", withIntermediateDirectories: true)
            for file in ["there/running", "there/lock"] {
                let text = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
                let name = file.replacing("there", with: ".gatepass")
                try text.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            try await refused(".gatepass")
            let answer = try await DevelopmentInstallation.command(
                ["keys", "create", "--scopes", "read", "--dry-run"], at: folder)
            #expect(answer.target == Self.usual && !answer.text.contains("runs in"), "\(answer.text)")
        }
    }

    @Test func `the standard output of an act is what was asked for and nothing else`() async throws {
        try await Self.inFolder(Self.named(["GATEPASS_DATABASE_HOST": "db1"])) { folder, environment in
            let script = "cd \(folder) && exec \"$0\" keys create --scopes read --dry-run --json 2>errors"
            let child = try ChildProcess.start(
                ["env"] + environment.map { "\($0.key)=\($0.value)" } + ["sh", "-c", script, TestRun.program],
                log: folder + "/output")
            #expect(await ServingProcess.end(of: child) == 0)
            let output = try Data(contentsOf: URL(fileURLWithPath: folder + "/output"))
            #expect(try JSONSerialization.jsonObject(with: output) is [String: Any])
            let errors = try String(contentsOfFile: folder + "/errors", encoding: .utf8)
            #expect(errors == "on development, gatepass at db1:3306\n" + Self.beside(folder))
        }
    }

    @Test func `a data directory means its server though all else says production, and nobody's once it was killed`()
        async throws
    {
        let installation = try await DevelopmentInstallation.open()
        defer { installation.close() }
        let variables = Self.production.merging(["GATEPASS_DATABASE_HOST": "db1.invalid"]) { $1 }
        func run(_ words: [String]) async throws -> CommandAnswer {
            try await DevelopmentInstallation.command(
                words + DevelopmentInstallation.options(installation.directory), environment: variables)
        }
        let create = ["keys", "create", "--scopes", "read", "--name", "meant"]
        for words in [create, ["simulate", "purchase", "--user", "anna"], ["clock", "advance", "1d"]] {
            let done = try await run(words)
            #expect(done.status == 0 && done.target == "on development, \(installation.directory)", "\(done.text)")
        }
        #expect(try await run(["keys", "list"]).text.contains("\tmeant\t"))
        #expect(try await run(["user", "status", "anna"]).text.contains("pro"))
        installation.server.child.send(SIGKILL)
        #expect(await ServingProcess.end(of: installation.server.child) != 0)
        #expect(FileManager.default.fileExists(atPath: installation.directory + "/running"))
        for words in [create, ["keys", "list"], ["simulate", "purchase"], ["clock", "advance", "1d"]] {
            let refused = try await run(words)
            #expect(refused.status == 1 && refused.target == nil, "\(words): \(refused.text)")
            #expect(refused.text.contains("server runs in \(installation.directory)"), "\(words): \(refused.text)")
        }
    }
}
