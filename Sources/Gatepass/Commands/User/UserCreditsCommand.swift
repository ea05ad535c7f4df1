import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass user credits`: shows a user's balances, or corrects one.
struct UserCreditsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credits", abstract: "Show a user's credits, or give some, or take some.",
        discussion: """
            For example: gatepass user credits anna --give 5 --unit credit --reason sorry \
            --reference ticket-4711
            """)

    @OptionGroup var about: UserOptions

    @Option(help: "Give so many, of --unit.")
    var give: Int?

    @Option(help: "Take so many, of --unit.")
    var take: Int?

    @Option(help: "The unit.")
    var unit: String?

    @Option(help: "What the correction belongs to, such as a ticket.")
    var reference: String?

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    /// Throws `ValidationError` for a correction without unit, reason or reference, or of no amount.
    func validate() throws {
        guard let amount = give ?? take else {
            guard unit == nil, reference == nil, why.reason == nil, !output.dryRun else {
                throw ValidationError("a correction needs --give or --take")
            }
            return
        }
        guard give == nil || take == nil else { throw ValidationError("give one of --give and --take") }
        guard unit != nil, reference != nil, why.reason != nil else {
            throw ValidationError("a correction needs --unit, --reason and --reference")
        }
        if let reference { try ReasonOptions.requireReference(reference) }
        guard CreditAmount(amount) != nil else { throw ValidationError("\(amount) is out of range") }
    }

    /// Throws the exit status 1 if the act is refused or the database cannot be reached.
    func run() async throws {
        guard let unit, let reference, let reason = why.reason else { return try await show() }
        if let give {
            let id = ExternalID(Surroundings.id())
            try await about.perform(output, refusing: { RefusedAct(Problem($0)) }) { principal, _ in
                principal.give(.credits(give, unit: unit), as: id, reason: reason, reference: reference)
            } saying: { (_: Told<Grant>) in
                "\(give) of \(unit) are given"
            } json: { told, _ in
                told.reply.json
            }
        } else if let amount = take.flatMap({ CreditAmount($0) }) {
            let key = Surroundings.id()
            try await about.perform(output, refusing: { RefusedAct(Problem($0)) }) { principal, store in
                let key = store.labels.label(.idempotencyKey, principal.user.text, key)
                let draw = CreditDraw(amount, from: Purse(unit: unit, environment: .production), key: key)
                return principal.spend(draw, reference: reference, reason: reason, under: store.labels)
            } saying: { told in
                "\(told.reply.spent) of \(unit) are taken; \(told.reply.spendable) are left"
            } json: { told, _ in
                SpendReceiptBody(told.reply).bytes
            }
        }
    }

    private func show() async throws {
        let (user, startup) = (try about.id(), try about.installation.startup())
        try await Startup.reporting {
            let recorded = try await startup.ledger(of: user)
            let timeline = Timeline(
                folding: recorded.ledger, given: recorded.catalogue, settings: startup.settings.entitlements)
            let now = startup.clock.now()
            guard !output.json else {
                return print(String(decoding: CreditsRoute.document(of: timeline, at: now), as: UTF8.self))
            }
            for balance in timeline.status(at: now).credits { print(VisibleText.escaped(StatusText.line(balance))) }
        }
    }
}
