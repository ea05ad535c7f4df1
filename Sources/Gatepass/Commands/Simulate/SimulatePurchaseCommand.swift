import AppStore
import ArgumentParser
import Entitlements
import Foundation
import StoreSimulator

/// `gatepass simulate purchase`: somebody buys a pass, an add-on or credits.
struct SimulatePurchaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purchase", abstract: "Buy a pass, an add-on or credits.")

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "The product (default: the first pass of the catalogue).")
    var product: String?

    @Option(help: "How many at once, 1 to 10.")
    var quantity: Int64 = 1

    @OptionGroup var buyer: BuyerOptions

    @Flag(help: "A parent has to approve it first, with `gatepass simulate approve`.")
    var askToBuy = false

    /// Throws when an option is none of what it should be, and the exit status 1 when the server refuses the purchase.
    func run() async throws {
        let simulation = delivery.simulation
        guard buyer.byNotification || !(delivery.hold || delivery.twice) else {
            throw ValidationError("--hold and --twice are about the notification: add --by-notification")
        }
        let catalogue = try Startup(simulation.options).catalogueFile().catalogue
        var sold = try sold(from: catalogue)
        let installation = Installation(path: simulation.installation.dataDir)
        try await Startup.reporting {
            try installation.requireMade()
            sold.accountToken = try await buyer.token(of: try simulation.userID(), from: installation)
            sold.isAskedFor = askToBuy ? true : nil
            sold.isTold = buyer.byNotification ? true : nil
            try sold.keep(in: installation)
            guard !askToBuy else {
                return print("\(sold.user) asked to buy \(sold.product): `gatepass simulate approve` buys it")
            }
            guard !buyer.byNotification else { return try await notify(sold, catalogue, installation) }
            let signed = try installation.authority().sign(sold.transaction)
            try await PurchaseDelivery(simulation: simulation, installation: installation).deliver(signed, of: sold)
        }
    }

    private func notify(_ sold: SoldPurchase, _ catalogue: Catalogue, _ installation: Installation) async throws {
        var delivered = sold
        delivered.delivered = true
        let appleID = catalogue.apps.first { $0.id.text == sold.bundleID }?.appleID
        try await EventDelivery(options: delivery, installation: installation, appleID: appleID).deliver(
            "\(sold.user) bought \(sold.product) as \(sold.transactionID)", .oneTimeCharge(sold.transaction)
        ) {
            try delivered.keep(in: installation)
        }
    }

    private func sold(from catalogue: Catalogue) throws -> SoldPurchase {
        let now = try delivery.simulation.instant()
        guard (1...10).contains(quantity) else { throw ValidationError("--quantity \(quantity): write 1 to 10") }
        let products = catalogue.products.filter { $0.source == .appleIAP }
        let known = products.first { product == nil ? $0.terms.kind == .pass : $0.id.text == product }
        guard let id = product ?? known?.id.text, let app = known?.app ?? catalogue.apps.first?.id else {
            throw ValidationError("the catalogue sells no pass: name a product with --product")
        }
        return SoldPurchase(
            transactionID: SoldPurchase.newTransactionID(), user: delivery.simulation.user, product: id,
            type: try Self.type(of: id, known?.terms.kind ?? .pass).rawValue, bundleID: app.text, purchasedAt: now,
            quantity: quantity, environment: try buyer.environment.chosen().rawValue, appleAccount: buyer.appleAccount,
            accountToken: try buyer.givenToken(), signedAt: now, delivered: false,
            isFamilyMember: buyer.familyShared ? true : nil)
    }

    private static func type(of product: String, _ kind: ProductKind) throws -> ProductType {
        switch kind {
        case .pass: .nonRenewingSubscription
        case .addOn: .nonConsumable
        case .consumable: .consumable
        case .plan: throw ValidationError("\(product) is a plan: use `gatepass simulate subscribe`")
        }
    }
}
