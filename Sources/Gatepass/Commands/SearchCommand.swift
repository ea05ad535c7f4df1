import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass search`: says what a text is the name of, and whose it is.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Say what a text is the name of, and whose it is.",
        discussion: """
            Finds user ids, also by their beginning, account tokens, transactions, purchases and grants by their ids, \
            numbers of card payments, charges, invoices, sessions, subscriptions, customers, refunds and events, and \
            notifications.

            For example: gatepass search 2000000812345678
            """)

    @Argument(help: "The text; quote it in a shell.")
    var text: String

    @Flag(help: "Print JSON, as the API answers, all on one page.")
    var json = false

    @OptionGroup var installation: InstallationOptions

    /// Throws `ValidationError` for a text of the wrong length.
    func validate() throws {
        guard (1...OperatorReader.maximumQueryLength).contains(text.unicodeScalars.count) else {
            throw ValidationError("a text has 1 to \(OperatorReader.maximumQueryLength) characters")
        }
    }

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let startup = try installation.startup()
        try await Startup.reporting {
            let found = try await startup.withPool { pool in
                let settings = try await LedgerSettings(startup.settings, from: pool, clock: startup.clock)
                return try await OperatorReader(pool: pool).search(text, under: settings.labels)
                    + SearchRoute.orders(text)
            }
            guard !json else { return print(String(decoding: SearchRoute.document(of: found), as: UTF8.self)) }
            let lines = found.isEmpty ? nothing : SearchRoute.sorted(found).map(line)
            for line in lines { print(line) }
        }
    }

    private var nothing: [String] {
        let isEMail = text.drop { $0 != "@" }.contains(".")
        return ["nothing has this name"]
            + (isEMail ? ["Gatepass stores no e-mail addresses: search for the user id, or for a number"] : [])
    }

    private func line(_ found: Found) -> String {
        guard found.kind != .order else {
            return
                "it looks like an order number; this asks Apple about it: gatepass order \(VisibleText.escaped(text))"
        }
        let whose = found.user?.text ?? (found.kind == .user ? "an erased person" : "nobody")
        let purchase = found.purchase?.text
        let words: [String?] =
            switch found.kind {
            case .user: [whose]
            case .accountToken, .customer: ["of \(whose)"]
            case .purchase, .grant: [purchase, "of \(whose)"]
            case .transaction: [found.transaction?.text, purchase.map { "of purchase \($0)" }, "of \(whose)"]
            case .number: [purchase.map { "of purchase \($0)" }, "of \(whose)"]
            case .delivery:
                [
                    found.delivery.map { String($0) }, found.notification,
                    purchase.map { "about purchase \($0)" } ?? "about no purchase", "of \(whose)",
                ]
            case .order: []
            }
        let place = found.space.map { "\($0.source.text) \($0.environment.rawValue)" }
        return ([found.kind.rawValue, place] + words).compactMap(\.self).map(VisibleText.escaped)
            .joined(separator: "\t")
    }
}
