import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass webhooks`: lists the deliveries of stores, and places one again.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "List the deliveries of stores, and have one placed again.",
        subcommands: [WebhooksListCommand.self, WebhooksReplayCommand.self])
}

extension DeliveryResult: ExpressibleByArgument {}
extension DeliveryReason: ExpressibleByArgument {}

/// `gatepass webhooks list`: prints deliveries, the last received first, one a line.
struct WebhooksListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List deliveries, the last received first.",
        discussion: "For example: gatepass webhooks list --state parked")

    @Option(help: "Only those in this state.")
    var state: DeliveryResult?

    @Option(help: "Only those with this reason, such as consent_rescinded.")
    var reason: DeliveryReason?

    @OptionGroup var list: ListOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let startup = try installation.startup()
        try await Startup.reporting {
            let deliveries = try await startup.withPool { pool in
                try await OperatorReader(pool: pool).deliveries(
                    before: nil, limit: list.limit, of: state, because: reason)
            }
            for delivery in deliveries { list.print(Self.fields(delivery), json: delivery.json) }
        }
    }

    private static func fields(_ delivery: RecordedDelivery) -> [String] {
        let type = [delivery.type, delivery.subtype].compactMap(\.self).joined(separator: "/")
        let purchase = delivery.purchase.map { "purchase \($0.text)" } ?? "no purchase"
        let owner = delivery.owner.map { "of \($0.text)" } ?? "of nobody"
        return [
            String(delivery.id), delivery.outcome.words, delivery.source.text, delivery.environment.rawValue, type,
            purchase, owner, "received \(RFC3339.text(of: delivery.receivedAt))",
        ]
    }
}

/// `gatepass webhooks replay`: has a running server place a delivery again, with the full number of attempts.
struct WebhooksReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Have a delivery placed again; a server that runs does so within seconds.",
        discussion: "For example: gatepass webhooks replay 12 --reason ticket-4711")

    @Argument(help: "The delivery's number, as `gatepass webhooks list` shows it.")
    var id: UInt64

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if there is no such delivery, or the database cannot be reached.
    func run() async throws {
        try await output.act(on: "delivery \(id)", of: installation) { inbox in
            try await inbox.previewedReplay(of: id).map { delivery, preview in
                preview.text(beside: delivery.json, json: output.json)
            }
        } act: { inbox in
            try await inbox.replay(id, by: .commandLine, reason: why.reason, audit: AuditTrail()).map { delivery in
                output.json
                    ? String(decoding: delivery.json, as: UTF8.self)
                    : "delivery \(delivery.id) is \(delivery.outcome.words)"
            }
        }
    }
}

extension DeliveryOutcome {
    /// The outcome as text, such as `parked (pending)`.
    var words: String { result.rawValue + (reason.map { " (\($0.rawValue))" } ?? "") }
}
