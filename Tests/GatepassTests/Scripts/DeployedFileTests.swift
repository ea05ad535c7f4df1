import Foundation
import Support
import Testing

@testable import Gatepass

/// What is deployed as containers says nothing that the server does not know.
@Suite struct DeployedFileTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: TestRun.repository + "/" + path, encoding: .utf8)
    }

    /// The names in a text that look like variables of the server.
    private static func variables(in text: String) -> Set<String> {
        Set(text.matches(of: #/GATEPASS_[A-Z0-9_]+/#).map { String($0.output) })
    }

    @Test(
        arguments: [
            ("Dockerfile", []), ("compose.yaml", ["GATEPASS_DOMAIN"]), ("compose.cluster.yaml", []),
            ("docs/deploy/compose.md", ["GATEPASS_DOMAIN"]), ("docs/deploy/kubernetes/deployment.yaml", []),
            ("docs/deploy/kubernetes/migrate.yaml", []), ("docs/deploy/existing-database.md", []),
            // Kubernetes would make this one of the service's name.
            ("docs/deploy/kubernetes.md", ["GATEPASS_PORT"]),
        ] as [(String, [String])])
    func `every variable is a setting, or one of the proxy`(path: String, others: [String]) throws {
        let used = Self.variables(in: try Self.text(path))
        let environment = Dictionary(uniqueKeysWithValues: used.map { ($0, "") })
        let unknown = KnownKeys().faults(inEnvironment: environment).map { "\($0.place)" }
        #expect(used.count > 1 && unknown == others)
    }

    /// The lines of a service of `compose.yaml`, without their indentation.
    private static func service(_ name: String, in compose: String) throws -> [Substring] {
        let services = try #require(compose.split(separator: "\nservices:\n").last)
        let lines = services.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "  \(name):"), "\(name)")
        return lines[(start + 1)...].prefix { $0.hasPrefix("    ") }.map { $0.drop { $0 == " " } }
    }

    @Test func `each service sees the secrets of its own, and the server none of another account`() throws {
        let compose = try Self.text("compose.yaml")
        for (name, folder) in [("gatepass", "server"), ("owner", "server"), ("migrate", "migrate")] {
            let lines = try Self.service(name, in: compose)
            #expect(lines.contains("volumes: ['\(folder)-secrets:/secrets/\(folder):ro']"), "\(name)")
            #expect(NewSecrets.folders.contains(folder))
        }
        let database = try Self.service("mariadb", in: compose)
        #expect(database.contains("volumes: ['data:/var/lib/mysql', 'database-secrets:/secrets/database:ro']"))
        #expect(database.contains("MARIADB_ROOT_HOST: localhost"))
        for name in ["caddy", "try"] {
            #expect(try Self.service(name, in: compose).contains { $0.contains("secrets") } == false, "\(name)")
        }
        let made = try Self.service("secrets", in: compose).filter { $0.hasPrefix("- ") }
        #expect(made == NewSecrets.folders.map { "- \($0)-secrets:/secrets/\($0)" })
        // The image has a folder for each, which gives an empty volume its owner.
        let image = try Self.text("Dockerfile")
        for folder in NewSecrets.folders { #expect(image.contains("/secrets/\(folder)"), "\(folder)") }
    }

    @Test func `the database is on no network that leads out, and ports are open on this machine alone`() throws {
        let compose = try Self.text("compose.yaml")
        for name in ["mariadb", "migrate", "owner"] {
            let lines = try Self.service(name, in: compose)
            #expect(lines.contains("networks: [database]") && !lines.contains { $0.hasPrefix("ports:") }, "\(name)")
        }
        #expect(compose.contains("\n  database:\n    internal: true\n"))
        for name in ["gatepass", "try"] {
            let ports = try Self.service(name, in: compose).filter { $0.hasPrefix("ports:") }
            let open = ports.flatMap { $0.split(separator: "'").filter { $0.contains(":80") } }
            #expect(!open.isEmpty && open.allSatisfy { $0.hasPrefix("127.0.0.1:") }, "\(name)")
        }
    }

    @Test func `the script of the accounts gives what the pages give, and reads the files that are made`() throws {
        let (compose, page) = (try Self.text("compose.yaml"), try Self.text("docs/production.md"))
        for account in ["gatepass", "gatepass_migrate"] {
            #expect(compose.contains("$$(cat /secrets/database/\(account))"))
            #expect(NewSecrets.files.contains { $0.contains("database/\(account)") })
            let grants = [compose, page].map { text in
                text.split(separator: "\n").filter { $0.contains("GRANT ") && $0.contains(" TO \(account)@") }
                    .map { $0.split(separator: "@")[0].trimmingCharacters(in: .whitespaces) }
            }
            #expect(grants[0] == grants[1] && grants[0].count == 1, "\(grants)")
        }
        #expect(compose.contains("MARIADB_ROOT_PASSWORD_FILE: /secrets/database/root"))
    }

    @Test(arguments: [("deployment", "server", "gatepass"), ("migrate", "migrate", "gatepass-migrate")])
    func `a pod sees the secrets of its own, may write nothing, and gets no variables of services`(
        name: String, folder: String, secret: String
    ) throws {
        let lines = try Self.text("docs/deploy/kubernetes/\(name).yaml").split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.contains("enableServiceLinks: false") && lines.contains("readOnlyRootFilesystem: true"))
        #expect(lines.contains("capabilities: {drop: [ALL]}") && lines.contains("runAsUser: 65532"))
        #expect(lines.contains("- {name: CREDENTIALS_DIRECTORY, value: /secrets/\(folder)}"))
        #expect(lines.contains("- {name: secrets, mountPath: /secrets/\(folder), readOnly: true}"))
        #expect(lines.filter { $0.contains("secretName:") } == ["secret: {secretName: \(secret), defaultMode: 0440}"])
    }
}
