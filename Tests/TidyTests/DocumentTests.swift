import Testing

/// The documents say what the code does, and the other way round.
@Suite struct DocumentTests {
    private static let api = "Sources/EntitlementAPI/"

    private func problemCodes() throws -> [String] {
        Documents.cases(
            ofEnum: "ProblemCode", in: try SourceTree.file(Self.api + "Problems/ProblemCode.swift").text)
    }

    @Test func `every problem code is explained in its order`() throws {
        let codes = try problemCodes()
        #expect(codes.count > 10)
        #expect(Documents.problemCodes(inTablesOf: try SourceTree.file("api.md").text) == codes)
        #expect(
            Documents.members(ofSchema: "ProblemCode", inOpenAPI: try SourceTree.file("openapi.yaml").text) == codes)
    }

    @Test func `the page for people has every problem code once`() throws {
        let codes = Documents.problemCodes(inTablesOf: try SourceTree.file("docs/errors.md").text)
        #expect(codes.sorted() == (try problemCodes()).sorted())
    }

    @Test func `every reason is in the documents`() throws {
        let known = Documents.cases(
            ofEnum: "Reason", in: try SourceTree.file("Sources/AppStore/JWS/EvidenceError.swift").text)
        let reasons = known.filter { $0 != "wrong_app" && $0 != "wrong_environment" }
        let document = try SourceTree.file("openapi.yaml").text
        #expect(reasons.count > 10)
        #expect(Documents.members(ofSchema: "ProblemReason", inOpenAPI: document).starts(with: reasons))
        let attached = Documents.members(ofSchema: "AttachReason", inOpenAPI: document)
        #expect(Documents.members(ofSchema: "RestoreReason", inOpenAPI: document) == reasons + attached)
        let page = try SourceTree.file("api.md").text
        #expect(reasons.filter { !page.contains("`\($0)`") } == [])
    }

    @Test func `every reason to refuse a card event is in the documents`() throws {
        let reasons = Documents.cases(
            ofEnum: "SignatureRefusal",
            in: try SourceTree.file("Sources/StripeBilling/Signatures/SignatureRefusal.swift").text)
        let documented = Documents.members(
            ofSchema: "ProblemReason", inOpenAPI: try SourceTree.file("openapi.yaml").text)
        #expect(reasons.count == 5 && reasons.filter { !documented.contains($0) } == [])
        let page = try SourceTree.file("api.md").text
        #expect(reasons.filter { !page.contains("`\($0)`") } == [])
    }

    @Test func `every reason of a delivery is in the documents`() throws {
        let reasons = Documents.cases(
            ofEnum: "DeliveryReason",
            in: try SourceTree.file("Sources/Entitlements/Deliveries/DeliveryOutcome.swift").text)
        #expect(reasons.count > 10)
        #expect(
            Documents.members(ofSchema: "DeliveryReason", inOpenAPI: try SourceTree.file("openapi.yaml").text)
                == reasons)
        let page = try SourceTree.file("api.md").text
        #expect(reasons.filter { !page.contains("`\($0)`") } == [])
    }

    @Test func `the example of a cluster gives each container the passwords that it needs, and opens no node`() throws {
        let text = try SourceTree.file("compose.cluster.yaml").text
        func values(of key: String) -> [String] {
            text.split(separator: "\n").compactMap { line in
                let words = line.drop { $0 == " " }
                return words.hasPrefix(key + ": ") ? String(words.dropFirst(key.count + 2)) : nil
            }
        }
        #expect(
            values(of: "secrets") == [
                "[root]", "[login, kek, database]", "[root, database, migrate]", "[login, kek, migrate]",
            ])
        #expect(values(of: "MARIADB_ROOT_HOST") == ["localhost"])
        #expect(values(of: "ports").count == 2 && values(of: "ports").allSatisfy { $0.hasPrefix("['127.0.0.1:") })
        #expect(values(of: "internal") == ["true"])
    }

    @Test func `every anomaly is in the documents`() throws {
        let anomalies = Documents.cases(
            ofEnum: "Anomaly", in: try SourceTree.file("Sources/Entitlements/Status/Anomaly.swift").text)
        #expect(
            Documents.members(ofSchema: "Anomaly", inOpenAPI: try SourceTree.file("openapi.yaml").text) == anomalies)
        let page = try SourceTree.file("api.md").text
        #expect(anomalies.filter { !page.contains("`\($0)`") } == [])
    }

    @Test(arguments: ["ExpirationReason", "PriceConsent"])
    func `every word about a plan is in the documents`(name: String) throws {
        let words = Documents.cases(
            ofEnum: name, in: try SourceTree.file("Sources/Entitlements/Status/PlanDetails.swift").text)
        #expect(words.count > 1)
        let documented = Documents.members(ofSchema: name, inOpenAPI: try SourceTree.file("openapi.yaml").text)
        #expect(documented == words)
        let page = try SourceTree.file("api.md").text
        #expect(words.filter { !page.contains("`\($0)`") } == [])
    }

    /// The routes of the URL table. Throws if a file of it is missing.
    private static func routes() throws -> [String] {
        try ["Routes", "Development/SimulatedAppStoreRoute"].flatMap {
            Documents.routes(inTable: try SourceTree.file(api + $0 + ".swift").text)
        }
    }

    @Test func `every route is in the documents and no other`() throws {
        let routes = try Self.routes()
        #expect(routes.count > 5)
        let documented = Documents.routes(inOpenAPI: try SourceTree.file("openapi.yaml").text)
        #expect(Set(routes) == Set(documented))
        let page = try SourceTree.file("api.md").text
        #expect(routes.filter { !page.contains("`\($0)`") } == [])
    }

    private static let tour = "Tests/GatepassTests/EndToEnd/Operators/EndToEndTour.swift"

    @Test func `every route is called by the tour and succeeds there`() throws {
        let routes = try Self.routes()
        let called = Documents.routes(inTour: try SourceTree.file(Self.tour).text)
        #expect(routes.filter { route in !called.contains { Documents.isCall($0, of: route) } } == [])
        #expect(called.filter { call in !routes.contains { Documents.isCall(call, of: $0) } } == [])
    }

    @Test func `every command is called by the tour and ends well there, or serves it`() throws {
        let files = SourceTree.sources.filter { $0.path.contains("/Commands/") }
        let commands = files.flatMap { Documents.commands(in: $0.text) }
        #expect(commands.count > 15)
        let texts = SwiftTokens.code(of: try SourceTree.file(Self.tour).text).filter { $0.kind == .string }
        let called = texts.map { " \($0.text) " }
        #expect(Set(commands.filter { name in !called.contains { $0.contains(" \(name) ") } }) == ["serve", "dev"])
    }

    @Test func `the readers of documents can fail`() {
        let code = "/// A.\nenum A: String {\n    case a = \"a_b\"\n    // case c\n    case d\n    var e: Int { 1 }\n}"
        #expect(Documents.cases(ofEnum: "A", in: code) == ["a_b", "d"])
        #expect(
            Documents.problemCodes(inTablesOf: "| code | status |\n|---|---|\n| `a` | 404 | x |\n| b | 1 | x |") == [
                "a"
            ])
        let table = "[.open(.get, \"/a\", A.respond), .signedIn(\n .post, \"/b/{c}\", rate: .read, B.respond)]"
        #expect(Documents.routes(inTable: table) == ["GET /a", "POST /b/{c}"])
        let openAPI =
            "info:\n  /x:\n    get:\npaths:\n  /a:\n    get:\n      tags:\n    put:\ncomponents:\n  /y:\n    get:\n"
        #expect(Documents.routes(inOpenAPI: openAPI) == ["GET /a", "PUT /a"])
        #expect(
            Documents.routes(inTour: "[Call(route: \"GET /a\"), Call(\n route: \"PUT /b\")]") == ["GET /a", "PUT /b"])
        #expect(Documents.isCall("GET /a/{late}/b", of: "GET /a/{user_id}/b"))
        #expect(!Documents.isCall("GET /a/{late}", of: "GET /a/{user_id}/b"))
        #expect(!Documents.isCall("PUT /a", of: "GET /a"))
        let commands = "C(commandName: \"a\", subcommands: []), C(\n commandName: \"b\", abstract: \"c\")"
        #expect(Documents.commands(in: commands + ", Story(\"d e F\", \"g\")") == ["d e", "b"])
        let schema = "  schemas:\n    A:\n      enum:\n        - a\n        - b\n    B:\n      enum:\n        - c\n"
        #expect(Documents.members(ofSchema: "A", inOpenAPI: schema) == ["a", "b"])
    }

    @Test func `the schema in the documents is the one that the migrations make and the program needs`() throws {
        let needed = try SourceTree.file("Sources/LedgerStore/Migrations/Schema.swift").text
        let number = String(SourceTree.files(in: "migrations").count)
        #expect(Migrations.numbers(after: "accepted = ", in: needed) == [number])
        let page = try SourceTree.file("api.md").text
        #expect(Migrations.numbers(after: "\"schema ", in: page) == [number])
        #expect(page.contains("\"schema \(number), accepted \(number)...99\""))
        let production = try SourceTree.file("docs/production.md").text
        #expect(production.contains("applied \(number): schema \(number)\n"))
        #expect(production.contains("(`\(number)...99`)"))
    }

    @Test func `the README and the manifest agree with the version of Swift that the setup installs`() throws {
        let version = try SourceTree.file(".swift-version").text.split(separator: "\n")
        let parts = version[0].split(separator: ".").compactMap { Int($0) }
        #expect(version.count == 1 && parts.count == 3)
        #expect(try SourceTree.file("README.md").text.contains("Swift \(parts[0]).\(parts[1])"))
        let tools = Migrations.numbers(
            after: "swift-tools-version: \(parts[0]).", in: try SourceTree.file("Package.swift").text)
        #expect(tools.count == 1 && Int(tools[0]).map { $0 <= parts[1] } == true)
    }

    @Test func `the file VERSION has the version that the program prints`() throws {
        let version = try SourceTree.file("VERSION").text.split(separator: "\n")
        #expect(version.count == 1 && version[0].split(separator: ".").allSatisfy { Int($0) != nil })
        let program = try SourceTree.file("Sources/Gatepass/Surroundings/Release.swift").text
        #expect(program.contains("static let version = \"\(version[0])\"\n"))
        #expect(try SourceTree.file("api.md").text.contains("\"version\": \"\(version[0])\""))
        #expect(try SourceTree.file("openapi.yaml").text.contains("{status: ready, version: \(version[0]), "))
        let image = try SourceTree.file("Dockerfile").text
        #expect(image.contains("org.opencontainers.image.version=\"\(version[0])\"\n"))
        let pods = ["deployment", "migrate"].map { "docs/deploy/kubernetes/\($0).yaml" }
        for path in ["compose.yaml", "compose.cluster.yaml"] + pods {
            let images = try SourceTree.file(path).lines.filter { $0.contains("image: gatepass") }
            #expect(!images.isEmpty && images.allSatisfy { $0.hasSuffix(":\(version[0])") }, "\(path)")
        }
    }

    @Test func `the README names the two commands, and the contributing page the others`() throws {
        let readme = try SourceTree.file("README.md").text
        #expect(readme.contains("\nmake run\n") && readme.contains("\nmake test\n"))
        let others = try SourceTree.file("CONTRIBUTING.md").text
        let verbs = try SourceTree.file("Makefile").lines.compactMap { line in
            line.first?.isLetter == true ? line.split(separator: ":").first.map(String.init) : nil
        }
        for verb in ["run", "test", "check", "format", "bench"] {
            #expect(verbs.contains(verb))
            #expect((readme + others).contains("make \(verb)"))
        }
    }

    @Test func `versions are not older than their floors`() throws {
        let required = Versions.required(byManifest: try SourceTree.file("Package.swift").text)
        #expect(required["swift-nio"] != nil && required["swift-crypto"] != nil)
        #expect(Versions.findings(in: required) == [])
        if let resolved = SourceTree.optionalText("Package.resolved") {
            let versions = try Versions.resolved(resolved)
            #expect(Versions.floors.keys.filter { versions[$0] == nil && $0 != "swift-nio-http2" } == [])
            #expect(Versions.findings(in: versions) == [])
        }
    }

    @Test func `an old version is found`() throws {
        #expect(
            Versions.findings(in: ["swift-nio": "2.99.9", "swift-crypto": "4.5.1", "swift-asn1": "1.7.0"]).count == 2)
        #expect(Versions.findings(in: ["swift-nio": "2.100.0", "swift-nio-http2": "10.0.0"]) == [])
        let manifest = ".package(url: \"https://example.com/a/swift-nio\", from: \"2.1.0\")"
        #expect(Versions.required(byManifest: manifest + "\nlet a = [b, c, d, e, f, g, h]") == ["swift-nio": "2.1.0"])
        let resolved = #"{"pins": [{"identity": "a", "state": {"version": "1.2.3"}}], "version": 3}"#
        #expect(try Versions.resolved(resolved) == ["a": "1.2.3"])
    }
}
