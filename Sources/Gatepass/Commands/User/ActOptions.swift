import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// The options of a command that acts on a user, and the one way in which such a command is carried out.
struct ActOptions: ParsableArguments {
    @OptionGroup var about: UserOptions

    @Option(help: "Why, for the audit trail and the timeline.")
    var reason: String

    @OptionGroup var output: ActOutput

    /// Throws `ValidationError` for a reason that is too long or empty.
    func validate() throws { try ReasonOptions.require(reason) }
}

/// How a command that acts says what it did, or would do.
struct ActOutput: ParsableArguments {
    @Flag(help: "Say what would happen, and do nothing.")
    var dryRun = false

    @Flag(help: "Print JSON, as the API answers.")
    var json = false

    /// Carries out an act on `name` in the inbox, or previews it, and prints the answer. Throws the exit status 1 if
    /// there is no such thing, or the database cannot be reached.
    func act(
        on name: String, of installation: InstallationOptions,
        preview: @escaping @Sendable (Inbox) async throws -> String?,
        act: @escaping @Sendable (Inbox) async throws -> String?
    ) async throws {
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let line = try await startup.withPoolToAct { pool in
                let inbox = Inbox(pool: pool, now: startup.clock.now, realNow: WallClock.real.now)
                return try await dryRun ? preview(inbox) : act(inbox)
            }
            guard let line else {
                StandardError.print("gatepass: there is no \(name)")
                throw ExitCode.failure
            }
            print(line)
        }
    }
}

extension UserOptions {
    /// Carries out, or previews, the act that `make` gives, and prints its reply: as JSON, or as a sentence. Throws the
    /// exit status 1 if the act is refused or the database cannot be reached.
    func perform<Reply, Refusal>(
        _ output: ActOutput, refusing: @escaping @Sendable (Refusal) -> any Error,
        _ make: @escaping @Sendable (Principal, Store) async throws -> LedgerAct<Reply, Refusal>,
        saying sentence: @escaping @Sendable (Reply) -> String,
        json: @escaping @Sendable (Reply, Store) async throws -> [UInt8]
    ) async throws {
        let user = try id()
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let lines = try await startup.withStore { store in
                let act = try await make(Principal(user: user, actor: .commandLine), store)
                guard output.dryRun else {
                    let reply = try Self.reply(of: try await store.ledger.record(act).answer, refusing)
                    guard output.json else { return [sentence(reply)] }
                    return [String(decoding: try await json(reply, store), as: UTF8.self)]
                }
                let previewed = try await store.ledger.preview(act)
                let reply = try Self.reply(of: previewed.answer, refusing)
                let statuses = try previewed.statuses(in: store.foldContext)
                guard output.json else {
                    return ["Nothing was done. It would be: " + sentence(reply)] + statuses.flatMap(\.lines)
                }
                let bytes = Preview(statuses: statuses).bytes(beside: try await json(reply, store))
                return [String(decoding: bytes, as: UTF8.self)]
            }
            for line in lines { print(output.json ? line : VisibleText.escaped(line)) }
        }
    }

    private static func reply<Reply, Refusal>(
        of answer: Result<Reply, Refusal>, _ refusing: (Refusal) -> any Error
    ) throws -> Reply {
        switch answer {
        case .success(let reply): return reply
        case .failure(let refusal): throw refusing(refusal)
        }
    }
}

extension PreviewedStatus {
    /// The status before and after in words, without the lines that stay as they are.
    fileprivate var lines: [String] {
        let (now, then) = (StatusText(before).lines, StatusText(after).lines)
        let changed = [("now:  ", now, Set(then)), ("after:", then, Set(now))].flatMap { word, lines, others in
            lines.filter { !others.contains($0) }.map { "  \(word) \($0.drop { $0 == " " })" }
        }
        return changed.isEmpty ? ["  what \(before.user.text) has stays as it is"] : changed
    }
}

/// An act that was refused, with its problem's code.
struct RefusedAct: Error, CustomStringConvertible {
    let description: String

    init(_ problem: Problem) {
        description = "\(problem.code.rawValue): \(problem.detail)"
    }
}

/// A purchase that a command names. Source and environment are needed only where the id is not unique.
struct PurchaseOptions: ParsableArguments {
    @Option(help: "The purchase's external id, as `gatepass user status` shows it.")
    var purchase: String?

    @Option(help: "The purchase's source, such as apple_iap, where the id is not unique.")
    var source: String?

    @Option(help: "The purchase's environment, Production or Sandbox, where the id is not unique.")
    var environment: StoreEnvironment?

    /// Throws `ValidationError` for a source or environment without a purchase.
    func validate() throws {
        guard purchase != nil || source == nil && environment == nil else {
            throw ValidationError("--source and --environment stand beside --purchase alone")
        }
    }

    /// The purchase; nil if none is named.
    var name: PurchaseName? {
        purchase.map { PurchaseName(ExternalID($0), source: source.map { Source($0) }, environment: environment) }
    }
}

extension StoreEnvironment: ExpressibleByArgument {}

extension Preview {
    /// The preview of an act that is not recorded in a ledger, as JSON beside the act's answer, or in words.
    func text(beside answer: [UInt8] = [], json: Bool) -> String {
        json ? String(decoding: bytes(beside: answer), as: UTF8.self) : VisibleText.escaped(would ?? "")
    }
}
