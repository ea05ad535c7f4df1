import ArgumentParser
import Entitlements
import StoreSimulator

/// `gatepass simulate approve`: a parent approves what a child asked to buy, or declines it.
struct SimulateApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve, or decline, what was bought with --ask-to-buy.")

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "The transaction (default: the newest that the user asked for).")
    var transaction: String?

    @Flag(help: "Decline it.")
    var decline = false

    /// Throws the exit status 1 when nothing was asked for or the server refuses.
    func run() async throws {
        let at = try delivery.simulation.instant()
        let catalogue = try Startup(delivery.simulation.options).catalogueFile().catalogue
        let installation = Installation(path: delivery.simulation.installation.dataDir)
        try await Startup.reporting {
            try installation.requireMade()
            let user = delivery.simulation.user
            let asked = try SoldPurchase.all(in: installation).filter {
                $0.isAskedFor == true && $0.user == user && (transaction == nil || $0.transactionID == transaction)
            }
            guard var sold = asked.max(by: { $0.transactionID < $1.transactionID }) else {
                throw SimulatedSale.Failure(
                    description: "\(user) asked for nothing here: run `gatepass simulate purchase --ask-to-buy` first")
            }
            guard !decline else {
                sold.remove(from: installation)
                return print("\(sold.product) was declined; Apple tells nobody")
            }
            sold.approve(at: at)
            let appleID = catalogue.apps.first { $0.id.text == sold.bundleID }?.appleID
            try await EventDelivery(options: delivery, installation: installation, appleID: appleID).deliver(
                "\(sold.user) bought \(sold.product) as \(sold.transactionID)", .oneTimeCharge(sold.transaction),
                by: sold.isTold == true ? .notification : .appAndNotification
            ) {
                try sold.keep(in: installation)
            }
        }
    }
}
