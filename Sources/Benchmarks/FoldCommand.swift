import ArgumentParser
import Entitlements

/// Measures the time to fold ledgers of 1,000, 2,000 and 4,000 passes and to compute the user's status.
struct FoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold", abstract: "Times Timeline(folding:) and its status over ever longer ledgers.")

    /// The output of the command.
    struct Report: Codable {
        /// The median time over all rounds in milliseconds, by the number of passes.
        let milliseconds: [String: Double]
        /// The time of the longest ledger divided by that of the shortest: 4 if the time grows linearly.
        let growth: Double
    }

    @Option(help: "How many rounds.")
    var rounds = 15

    private static let sizes = [1_000, 2_000, 4_000]

    /// - Throws: An error if the result cannot be written.
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

    /// A ledger of passes of three products, bought an hour apart. As a result many passes wait for others, and some
    /// interrupt others.
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
