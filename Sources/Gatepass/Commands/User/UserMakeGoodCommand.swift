import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass user make-good`: gives a late pass again from now on, once.
struct UserMakeGoodCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-good", abstract: "Give a pass that had run out before it was attached again, from now on.",
        discussion: """
            For example: gatepass user make-good anna --purchase 2000000812345678 --reason late \
            --reference ticket-4711
            """)

    @OptionGroup var act: ActOptions

    @OptionGroup var named: PurchaseOptions

    @Option(help: "What it belongs to, such as a ticket.")
    var reference: String

    /// Throws `ValidationError` unless a purchase is named, or for a reference of the wrong length.
    func validate() throws {
        guard named.purchase != nil else { throw ValidationError("name the pass with --purchase") }
        try ReasonOptions.requireReference(reference)
    }

    /// Throws the exit status 1 if the act is refused or the database cannot be reached.
    func run() async throws {
        guard let name = named.name else { return }
        let (reason, reference) = (act.reason, reference)
        try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, store in
            let key = try await store.purchase(name, of: principal.user).mapError { RefusedAct(Problem($0)) }.get()
            return principal.makeGood(key, reason: reason, reference: reference, under: store.labels)
        } saying: { told in
            "the pass \(name.id.text) is given again, as the grant \(told.reply.key.externalID.text)"
        } json: { told, _ in
            told.reply.json
        }
    }
}
