import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass keys`: makes, lists and revokes the API keys of servers.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make, list and revoke the API keys of servers.",
        subcommands: [KeysCreateCommand.self, KeysListCommand.self, KeysRevokeCommand.self])
}

/// `gatepass keys create`: makes a key and prints it; it cannot be shown again.
struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a key and print it; it is shown this once and kept nowhere.",
        discussion: "For example: gatepass keys create --scopes read,write --name till")

    @Option(
        help: """
            What it may do, of read, write, admin and audit, with commas between; each of the first three includes \
            those before it, and admin also audit.
            """)
    var scopes: String

    @Option(help: "What people call it.")
    var name = "server"

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws if the scopes are wrong, and the exit status 1 if the database cannot be reached.
    func run() async throws {
        let request = try request()
        let startup = try installation.startupToAct()
        guard !output.dryRun else { return print(request.preview.text(json: output.json)) }
        try await Startup.reporting {
            let (key, secret) = try await startup.withPoolToAct { pool in
                try await APIKeys(pool: pool).create(request, by: .commandLine, reason: why.reason)
            }
            print(output.json ? String(decoding: key.json(with: secret), as: UTF8.self) : secret.text)
        }
    }

    /// The request for a key. Throws `ValidationError` for an unknown scope, or a name of the wrong form.
    func request() throws -> APIKeyRequest {
        let scopes = try scopes.split(separator: ",", omittingEmptySubsequences: false).map { text in
            guard let scope = APIKeyScope(rawValue: String(text)) else {
                throw ValidationError("'\(text)' is no scope: read, write, admin or audit, with commas between")
            }
            return scope
        }
        guard let request = APIKeyRequest(name: name, scopes: Set(scopes)) else {
            throw ValidationError("a name has 1 to \(APIKeyRequest.nameLimit) characters and no control character")
        }
        return request
    }
}

/// `gatepass keys list`: prints all keys, the newest first, one a line.
struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all keys, newest first; secrets are not kept.",
        discussion: "For example: gatepass keys list")

    @Flag(help: "Print JSON, a key a line.")
    var json = false

    @OptionGroup var installation: InstallationOptions

    private static let pageSize = 100

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let startup = try installation.startup()
        try await Startup.reporting {
            let keys = try await startup.withPool { pool in
                let store = APIKeys(pool: pool)
                var keys: [APIKey] = []
                while true {
                    let page = try await store.page(before: keys.last?.id, limit: Self.pageSize)
                    keys += page
                    if page.count < Self.pageSize { return keys }
                }
            }
            for key in keys {
                print(json ? String(decoding: key.json(), as: UTF8.self) : Self.line(key))
            }
        }
    }

    private static func line(_ key: APIKey) -> String {
        let scopes = key.scopes.sorted().map(\.rawValue).joined(separator: ",")
        let state = key.revokedAt.map { "revoked \(RFC3339.text(of: $0))" } ?? "valid"
        let used = key.lastUsedAt.map { "used \(RFC3339.text(of: $0))" } ?? "never used"
        return "\(key.id)\t\(key.name)\t\(scopes)\t\(state)\t\(used)"
    }
}

/// `gatepass keys revoke`: revokes a key. Running servers refuse it within two seconds.
struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a key by its number; servers know within two seconds.",
        discussion: "For example: gatepass keys revoke 3 --reason leaked")

    @Argument(help: "The key's number, as `gatepass keys list` shows it.")
    var id: UInt64

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if there is no such key, or the database cannot be reached.
    func run() async throws {
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let key = try await startup.withPoolToAct { pool in
                let keys = APIKeys(pool: pool)
                guard !output.dryRun else { return try await keys.key(id) }
                return try await keys.revoke(id, by: .commandLine, reason: why.reason)
            }
            guard let key else {
                StandardError.print("gatepass: there is no key \(id)")
                throw ExitCode.failure
            }
            guard !output.dryRun else {
                return print(key.previewOfRevocation.text(beside: key.json(), json: output.json))
            }
            let words = VisibleText.escaped("key \(key.id) (\(key.name)) is revoked")
            print(output.json ? String(decoding: key.json(), as: UTF8.self) : words)
        }
    }
}
