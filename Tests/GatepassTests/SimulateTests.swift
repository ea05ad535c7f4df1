import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Support
import Testing

@Suite("`gatepass simulate`", .serialized)
struct SimulateTests {
    @Test("the printed app transaction proves the Apple account that bought, and a purchase moves with it alone")
    func appTransaction() async throws {
        let shop = try await Shop.open()
        defer { shop.close() }
        for (options, environment, account, other) in [
            ([], [], "ann", "bea"), ([], ["--environment", "Production"], "ann", "bea"),
            (["--apple-account", "bea"], [], "bea", "ann"),
        ] {
            let sold = try await shop.simulate(["purchase", "--user", "ann", "--json"] + options + environment)
            #expect(sold.status == 0 && sold.string("answer.outcome") == "attached", "\(sold.text)")
            var body = ["signedTransactionJWS": try #require(sold.string("jws"))]
            #expect(try await shop.attach(body, as: "cleo").string("code") == "owned_by_another_user")
            for (user, code) in [(other, "owned_by_another_user"), (account, nil)] {
                let proof = try await shop.simulate(["app-transaction", "--user", user] + environment)
                #expect(proof.status == 0 && proof.text.split(separator: "\n").count == 1, "\(proof.text)")
                body["signedAppTransaction"] = proof.text.trimmingCharacters(in: .newlines)
                let answer = try await shop.attach(body, as: "cleo")
                #expect(answer.string("code") == code, "\(answer.text)")
                #expect(answer.string("outcome") == (code == nil ? "attached" : nil))
            }
        }
    }

    @Test("an app transaction is of the app that is named, which the catalogue has to know")
    func appOfTransaction() async throws {
        let shop = try await Shop.open()
        defer { shop.close() }
        let apps = "[{bundle_id: com.airport.vpn}, {bundle_id: com.airport.second}]"
        let catalogue = "{apps: \(apps), tiers: [{id: pro, rank: 1}], products: []}"
        try EndToEndServer.write(catalogue, to: shop.directory + "/catalog.yaml")
        for (words, app) in [
            ([], "com.airport.vpn"), (["--app", "com.airport.vpn"], "com.airport.vpn"),
            (["--app", "com.airport.second"], "com.airport.second"),
        ] {
            let proof = try await shop.simulate(["app-transaction"] + words)
            #expect(proof.status == 0, "\(proof.text)")
            let read = try await shop.run(["inspect", proof.text.trimmingCharacters(in: .newlines)])
            let bundle = read.text.split(separator: "\n").first { $0.contains("bundleId") }
            #expect(read.status == 0 && bundle?.contains(#""\#(app)""#) == true, "\(read.text)")
        }
        let refused = try await shop.simulate(["app-transaction", "--app", "com.airport.third"])
        #expect(refused.status == 64, "\(refused.text)")
        #expect(
            refused.text.contains("--app com.airport.third: write one of com.airport.vpn, com.airport.second"),
            "\(refused.text)")
    }

    @Test("a purchase with another user's account token is refused, and with the user's own it is taken")
    func accountToken() async throws {
        let shop = try await Shop.open()
        defer { shop.close() }
        let issued = try await shop.send(.GET, "/api/iap/apple/account-token", as: "ann")
        let token = try #require(issued.string("app_account_token")).uppercased()
        let refused = try await shop.simulate(["purchase", "--user", "bea", "--account-token", token])
        #expect(refused.status == 1 && refused.text.contains("account_token_mismatch"), "\(refused.text)")
        let taken = try await shop.simulate(["purchase", "--user", "ann", "--account-token", token])
        #expect(taken.status == 0, "\(taken.text)")
    }

    @Test("what is no UUID or no environment is refused by the option's name, before anything is signed")
    func usage() async throws {
        for (words, complaint) in [
            (["purchase", "--account-token", "1234"], "--account-token 1234: write a UUID"),
            (["purchase", "--account-token", ""], "--account-token : write a UUID"),
            (["purchase", "--environment", "Xcode"], "--environment Xcode: write Sandbox or Production"),
            (["app-transaction", "--environment", "Xcode"], "--environment Xcode: write Sandbox or Production"),
        ] {
            let answer = try await Shop.run(["simulate"] + words + ["--data-dir", "/nowhere"])
            #expect(answer.status == 64 && answer.text.contains(complaint), "\(answer.text)")
        }
    }
}

/// A `gatepass dev` whose passes may be transferred, and the commands beside it.
private struct Shop {
    let server: ServingProcess
    let directory: String

    private static func options(_ directory: String) -> [String] {
        ["--config", directory + "/gatepass.yaml", "--catalog", directory + "/catalog.yaml", "--data-dir", directory]
    }

    /// Names a login that signs no token here: in development the installation's own does.
    private static let settings = """
        auth: {jwks_url: "https://login.example/keys", issuer: "https://login.example", audience: app, user_id_claim: uid}
        """

    /// Starts it. Throws when it does not become ready.
    static func open() async throws -> Shop {
        let directory = "/tmp/gatepass-shop-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try EndToEndServer.write(EndToEndTill.catalogue, to: directory + "/catalog.yaml")
        try EndToEndServer.write(settings, to: directory + "/gatepass.yaml")
        let shop = Shop(server: try ServingProcess("dev", options(directory)), directory: directory)
        try #require(await shop.server.answers("/readyz", 200), "\(shop.server.log)")
        return shop
    }

    /// Ends it and removes what it kept.
    func close() {
        server.child.send(SIGTERM)
        server.child.waitForEnd()
        server.remove()
        try? FileManager.default.removeItem(atPath: directory)  // it is under /tmp
    }

    /// Tells a story. Throws when the program cannot be run.
    func simulate(_ words: [String]) async throws -> EndToEndAnswer {
        try await run(["simulate"] + words)
    }

    /// Runs the program on the installation. Throws when it cannot be run.
    func run(_ words: [String]) async throws -> EndToEndAnswer {
        try await Self.run(words + Self.options(directory))
    }

    /// Attaches what `body` holds. Throws when no whole answer came.
    func attach(_ body: [String: String], as user: String) async throws -> EndToEndAnswer {
        try await send(.POST, EndToEndServer.attachPath, try JSONEncoder().encode(body), as: user)
    }

    /// Sends one request. Throws when no whole answer came.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: Data? = nil, as user: String
    ) async throws -> EndToEndAnswer {
        let token = try await run(["token", user]).text
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer " + token.trimmingCharacters(in: .newlines))
        request.headers.add(name: "Content-Type", value: "application/json")
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return EndToEndAnswer(status: Int(response.status.code), headers: response.headers, body: Array(buffer: bytes))
    }

    /// Runs the program; its exit status and what it printed. Throws when it cannot be run.
    static func run(_ words: [String]) async throws -> EndToEndAnswer {
        let output = URL(fileURLWithPath: "/tmp/gatepass-said-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }  // it is under /tmp
        let status = await ServingProcess.end(of: try ServingProcess.start(words, in: output))
        let text = try Data(contentsOf: output.appendingPathComponent("log"))
        return EndToEndAnswer(status: Int(status), headers: [:], body: Array(text))
    }
}
