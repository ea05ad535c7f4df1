import ArgumentParser
import Entitlements

/// Measures how long it takes to fold ledgers of 1,000, 2,000 and 4,000 passes and to say what the user has.
struct FoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold", abstract: "Times Timeline(folding:) and its status over ever longer ledgers.")

    /// The output of the command.
    struct Report: Codable {
        /// Milliseconds by the number of passes, medians over the rounds.
        let milliseconds: [String: Double]
        /// The time of the longest ledger over that of the shortest; four if the fold is linear.
        let growth: Double
    }

    @Option(help: "How many rounds.")
    var rounds = 15

    private static let sizes = [1_000, 2_000, 4_000]

    /// - Throws: When the result cannot be written.
    func run() async throws {
        let now = Instant(milliseconds: Wall.milliseconds)
        let ledgers = Self.sizes.map { Self.ledger(passes: $0, until: now) }
        let catalogue = Sale.catalogue
        let settings = EntitlementSettings(sandboxAccess: .nobody)
        var times = [[Double]](repeating: [], count: ledgers.count)
        for _ in 0...rounds {
            for (index, ledger) in ledgers.enumerated() {
                let time = ContinuousClock().measure {
                    let status = Timeline(folding: ledger, given: catalogue, settings: settings).status(at: now)
                    precondition(status.active && status.entitlements.count == Self.sizes[index])
                }
                times[index].append(time.inSeconds * 1000)
            }
        }
        let medians = times.map { Array($0.dropFirst()).median }
        try Report.print(
            Report(
                milliseconds: Dictionary(
                    uniqueKeysWithValues: zip(Self.sizes.map(String.init), medians)),
                growth: medians[medians.count - 1] / medians[0]))
    }

    /// Passes of three kinds, bought an hour apart, so that many wait in line and some overtake.
    private static func ledger(passes: Int, until now: Instant) -> UserLedger {
        guard let user = UserID("bench") else { preconditionFailure("the id is well-formed") }
        var ledger = UserLedger(user: user)
        for number in 0..<passes {
            let purchasedAt = now + Int64(number - passes) * Instant.millisecondsPerHour
            let key = PurchaseKey(
                source: .appleIAP, app: AppID(Sale.bundleID), environment: .production,
                externalID: ExternalID(String(2_000_000_000_000_000 + number)))
            let purchase = VerifiedPurchase(
                key: key, transactionID: TransactionID(key.externalID.text), productID: Sale.product(number),
                type: .pass, purchasedAt: purchasedAt, signedAt: purchasedAt + 1_000)
            ledger.append(
                [
                    .init(.stated(.purchase(purchase)), at: purchasedAt + 1_000),
                    .init(.bound(key), at: purchasedAt + 2_000),
                ],
                at: purchasedAt + 2_000)
        }
        return ledger
    }
}
