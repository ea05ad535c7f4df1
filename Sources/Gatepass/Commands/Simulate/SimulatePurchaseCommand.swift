import AppStore
import ArgumentParser
import Entitlements
import Foundation
import StoreSimulator

/// `gatepass simulate purchase`: somebody buys a product of the catalogue.
struct SimulatePurchaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "purchase", abstract: "Buy a product.")

    @OptionGroup var simulation: SimulationOptions

    @Option(help: "The product (default: the first pass of the catalogue).")
    var product: String?

    @Option(help: "How many at once, 1 to 10.")
    var quantity: Int64 = 1

    @OptionGroup var environment: EnvironmentOptions

    @Option(help: "The user whose Apple account buys (default: the user's own).")
    var appleAccount: String?

    @Option(help: "The appAccountToken of the purchase, a UUID (default: none).")
    var accountToken: String?

    /// Throws when an option is none of what it should be, and the exit status 1 when the server refuses the purchase.
    func run() async throws {
        let startup = try Startup(simulation.options)
        let catalogue = try startup.catalogueFile().catalogue
        let sold = try sold(from: catalogue)
        let installation = Installation(path: simulation.installation.dataDir)
        try await Startup.reporting {
            try installation.requireMade()
            try sold.keep(in: installation)
            let signed = try installation.authority().sign(sold.transaction)
            try await Delivery(simulation: simulation, installation: installation).deliver(signed, of: sold)
        }
    }

    private func sold(from catalogue: Catalogue) throws -> SoldPurchase {
        let now = try simulation.instant()
        guard (1...10).contains(quantity) else { throw ValidationError("--quantity \(quantity): write 1 to 10") }
        let products = catalogue.products.filter { $0.source == .appleIAP }
        let known = products.first { product == nil ? $0.terms.kind == .pass : $0.id.text == product }
        guard let id = product ?? known?.id.text, let app = known?.app ?? catalogue.apps.first?.id else {
            throw ValidationError("the catalogue sells no pass: name a product with --product")
        }
        return SoldPurchase(
            transactionID: Self.transactionID(), user: simulation.user, product: id,
            type: Self.type(of: known?.terms.kind ?? .pass).rawValue, bundleID: app.text, purchasedAt: now,
            quantity: quantity, environment: try environment.chosen().rawValue, appleAccount: appleAccount,
            accountToken: try token()?.description, signedAt: now, delivered: false)
    }

    private func token() throws -> AccountToken? {
        guard let accountToken else { return nil }
        guard let token = AccountToken(accountToken) else {
            throw ValidationError("--account-token \(accountToken): write a UUID")
        }
        return token
    }

    /// Like Apple's: digits, later ones larger.
    private static func transactionID() -> String {
        "2\(Surroundings.now().milliseconds)\(Int.random(in: 100...999))"
    }

    private static func type(of kind: ProductKind) -> ProductType {
        switch kind {
        case .pass: .nonRenewingSubscription
        case .addOn: .nonConsumable
        case .consumable: .consumable
        case .plan: .autoRenewableSubscription
        }
    }
}
