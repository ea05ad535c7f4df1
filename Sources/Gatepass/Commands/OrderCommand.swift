import AppStore
import ArgumentParser
import AsyncHTTPClient
import EntitlementAPI
import Entitlements
import Foundation
import LedgerStore

/// `gatepass order`: has Apple asked about an order, by the number in the customer's e-mail.
struct OrderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order", abstract: "Ask Apple what was bought by an order, and say whose it is.",
        discussion: """
            Needs App Store credentials. What Apple shows is recorded, and given to nobody.

            For example: gatepass order MQ7HX2K4TN
            """)

    @Argument(help: "The number in the customer's e-mail, such as MQ7HX2K4TN.")
    var id: String

    @Flag(help: "Print JSON, as the API answers.")
    var json = false

    @OptionGroup var installation: InstallationOptions

    /// Throws `ValidationError` for what is no order number.
    func validate() throws { _ = try order() }

    /// Throws the exit status 1 if Apple or the database cannot be reached.
    func run() async throws {
        let order = try order()
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let found = try await startup.withStoreHistory { history, store in
                try await store.lookups.note(order: order.text, by: .commandLine, audit: store.audit)
                return try await history.order(order)
            }
            guard !json else {
                return print(String(decoding: OrderLookUpRoute.document(of: found, in: order), as: UTF8.self))
            }
            if found.isEmpty { print("Apple knows no such order") }
            for transaction in found { print(Self.line(transaction)) }
        }
    }

    private func order() throws -> OrderID {
        guard let order = OrderID(id.uppercased()) else {
            throw ValidationError("\(VisibleText.escaped(id)) is no order number: it has the form MQ7HX2K4TN")
        }
        return order
    }

    private static func line(_ transaction: OrderedTransaction) -> String {
        let state = transaction.state
        return [
            state.transactionID.text, "of purchase \(state.key.externalID.text)", state.productID.text,
            "\(state.key.app.text) \(state.key.environment.rawValue)", RFC3339.text(of: state.purchasedAt),
            "of \(transaction.owner?.text ?? "nobody")", state.revocation == nil ? "" : "refunded",
        ].filter { !$0.isEmpty }.map(VisibleText.escaped).joined(separator: "\t")
    }
}

extension Startup {
    /// The reason why Apple cannot be asked.
    private struct NoCredentials: Error, CustomStringConvertible {
        let description =
            "there are no App Store credentials: set apple.issuer_id, apple.key_id, apple.private_key_file"
    }

    /// Runs `body` with the access to Apple that a server has. Throws the error of `body`, and for missing or unusable
    /// credentials.
    fileprivate func withStoreHistory<Answer: Sendable>(
        _ body: @escaping @Sendable (StoreHistory, Store) async throws -> Answer
    ) async throws -> Answer {
        guard let credentials = settings.apple.credentials else { throw NoCredentials() }
        let roots = try files.trustRoots(settings)
        let client = HTTPClient.outward()
        let answer: Result<Answer, any Error>
        do {
            answer = .success(
                try await withStore { store in
                    let door = StoreDoor(store)
                    let server = try await AppleServer(
                        settings.apple, credentials, files: files, client: client, simulated: nil, store: door,
                        pace: ApplePace(), metrics: ServerMetrics(), logger: logger)
                    let check =
                        settings.apple.ocsp
                        ? CertificateStatusCheck(
                            transport: OCSPQuestions(client: client), uptime: Surroundings.uptime) : nil
                    let verifiers = AppVerifiers(roots: roots, statusCheck: check)
                    let history = StoreHistory(
                        store: door, asking: server, under: settings.claimRules,
                        verifier: { verifiers.verifier(for: door.catalogue) },
                        cores: ProcessInfo.processInfo.activeProcessorCount, now: clock.now, logger: logger)
                    return try await body(history, store)
                })
        } catch {
            answer = .failure(error)
        }
        try await client.shutdown()
        return try answer.get()
    }
}
