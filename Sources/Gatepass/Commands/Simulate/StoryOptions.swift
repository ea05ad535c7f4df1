import ArgumentParser

/// The options of all stories. Each story takes only some of them.
struct StoryOptions: ParsableArguments {
    /// Pairs of options that exclude each other.
    static let exclusive = [
        ("twice", "hold"), ("grace-over", "grace-days"), ("by-app", "by-notification"), ("won", "lost"),
    ]

    @OptionGroup var installation: InstallationOptions

    @Option(help: "The user whom it happens to (default: alice; in `story` one who was never seen).")
    var user: String?

    @Option(
        help: "When it happens: RFC 3339, such as 2026-01-15T00:00:00Z (default: now, by the installation's clock).")
    var at: String?

    @Option(help: "A transaction of what it is about (default: the user's newest).")
    var transaction: String?

    @Option(help: "The product (default: the first of the catalogue that is sold so).")
    var product: String?

    @Option(help: "How many at once, 1 to 10 (default: 1).")
    var quantity: Int64?

    @Option(help: "The length of each period in days (default: the plan's own month or year).")
    var days: Int?

    @Option(help: "The grace period in days, from the end of the period (default: none).")
    var graceDays: Int?

    @Option(name: .customLong("to"), help: "The plan to go to.")
    var target: String?

    @Option(help: "The percentage of the price that is refunded, such as 33.333; by card in all, 1 to 100.")
    var percent: String?

    @Option(help: "Sandbox or Production (default: Sandbox).")
    var environment: String?

    @Option(help: "The user whose Apple account buys (default: the user's own).")
    var appleAccount: String?

    @Option(help: "The appAccountToken of the purchase, a UUID (default: none; by notification the user's own).")
    var accountToken: String?

    @Option(help: "The bundle id of the app (default: the first of the catalogue).")
    var app: String?

    @Option(help: "The subtype of the notification (default: none).")
    var subtype: String?

    @Option(help: "The consumptionRequestReason of a CONSUMPTION_REQUEST (default: UNINTENDED_PURCHASE).")
    var reason: String?

    @Flag var flags: [StoryFlag] = []

    /// The names of the options that the command line has.
    var given: [String] {
        let values: [(String, Any?)] = [
            ("user", user), ("at", at), ("transaction", transaction), ("product", product), ("quantity", quantity),
            ("days", days), ("grace-days", graceDays), ("to", target), ("percent", percent),
            ("environment", environment), ("apple-account", appleAccount), ("account-token", accountToken),
            ("app", app), ("subtype", subtype), ("reason", reason),
        ]
        return values.filter { $0.1 != nil }.map(\.0) + flags.map(\.rawValue)
    }
}

/// An option without a value.
enum StoryFlag: String, EnumerableFlag {
    case print, json, twice, hold, reversed, trial, decline, undo, accepted, now, won, lost, unnamed
    case byApp = "by-app"
    case byNotification = "by-notification"
    case familyShared = "family-shared"
    case askToBuy = "ask-to-buy"
    case notForSale = "not-for-sale"
    case graceOver = "grace-over"
    case newestFirst = "newest-first"
    case oldShape = "old-shape"

    static func name(for flag: StoryFlag) -> NameSpecification { .customLong(flag.rawValue) }

    static func help(for flag: StoryFlag) -> ArgumentHelp? {
        switch flag {
        case .print: "Print what is signed and deliver nothing."
        case .json: "Print one JSON document: the ids, the JWS and the answers."
        case .twice: "Deliver it twice, as a store does when an answer is lost."
        case .hold: "Hold the notification back until `gatepass simulate deliver`."
        case .reversed: "Deliver the events in reverse order."
        case .trial: "The first period is a free trial."
        case .decline: "Decline it."
        case .undo: "Switch it on again."
        case .accepted: "The customer has consented, or does not have to."
        case .now: "It ends at once."
        case .won: "The account won the dispute."
        case .lost: "The account lost the dispute."
        case .byApp: "Have the user's app attach the transaction, and send no notification."
        case .byNotification: "The app sends nothing: the server learns of it by notifications alone."
        case .familyShared: "A family member bought it and shares it with the user."
        case .askToBuy: "A parent has to approve it first, with `gatepass simulate approve`."
        case .notForSale: "The product is not for sale any more."
        case .graceOver: "The grace period of an earlier failure is over; Apple goes on trying."
        case .newestFirst: "The newest first, as when answers are lost and the store tries again."
        case .unnamed: "The checkout names no user, like a payment link without client_reference_id."
        case .oldShape: "Write the events as before API version 2025-03-31."
        }
    }
}
