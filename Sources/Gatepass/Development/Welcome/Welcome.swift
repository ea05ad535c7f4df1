import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import StoreSimulator

/// The text that `gatepass dev` prints when it is ready: two commands to paste, and a box with the server's addresses.
struct Welcome {
    private static let user = "alice"
    private static let width = 78

    let reach: Reach
    let installation: Installation
    let authority: DevelopmentAuthority
    let catalogue: Catalogue
    /// The lines about the dashboard.
    let dashboard: [String]
    let signsInAppleAccounts: Bool

    /// Stores and signs a new purchase and prints the text. Throws an error of the file system.
    func show() async throws {
        guard let user = UserID(Self.user), let product = catalogue.products.first(where: { $0.terms.kind == .pass })
        else { return box(serving + ["The catalogue sells no pass."]) }
        let now = installation.clock.now().milliseconds
        let sold = SoldPurchase(
            transactionID: "2\(now)000", user: user.text, product: product.id.text,
            type: "Non-Renewing Subscription", bundleID: product.app.text, purchasedAt: now, quantity: 1,
            environment: "Sandbox", appleAccount: nil, accountToken: nil, signedAt: now, delivered: true)
        try sold.keep(in: installation)
        let body = installation.directory.appendingPathComponent("purchase.json")
        let signed = try authority.sign(sold.transaction)
        try installation.write("{\"signedTransactionJWS\": \"\(signed.text)\"}", to: body)
        let token = try await DevelopmentToken.make(for: user, secret: try installation.secret())
        print(
            """

            # Attach a purchase of \(product.id.text), signed just now, for \(user.text):
            curl -sS \(reach.here)/api/iap/apple/transactions/attach \\
              -H 'Authorization: Bearer \(token)' \\
              -H 'Content-Type: application/json' -d @\(body.path)

            # Then ask: does \(user.text) have access, from what, until when?
            curl -sS \(reach.here)/api/iap/apple/status -H 'Authorization: Bearer \(token)'

            """)
        box(
            serving + [
                "Database, keys and purchases: \(installation.directory.path)",
                "Simulated purchases count here. Ctrl-C stops everything.",
            ] + appleAccounts + lead + dashboard)
    }

    /// The lines that say where the server is reached, and what that means.
    private var serving: [String] {
        let here = "Gatepass serves at \(reach.here)"
        guard reach.isOpen else { return [here] }
        let phone = reach.elsewhere.map { "From a phone in this network: \($0)" }
        return [here, phone ?? "This machine has no address in a network."] + [
            "Warning: this server trusts a development root, and everybody in the network",
            "can reach it. No purchase of a real customer belongs here.",
        ]
    }

    /// A line that says how Apple accounts sign in, if they do.
    private var appleAccounts: [String] {
        signsInAppleAccounts ? ["Apple accounts sign in: POST /api/iap/apple/sign-in"] : []
    }

    /// A line that says how far the clock is ahead of real time, if it is.
    private var lead: [String] {
        Span(milliseconds: installation.clock.lead).map { ["The clock is \($0.text) ahead of the real time."] } ?? []
    }

    private func box(_ lines: [String]) {
        let width = max(Self.width, (lines.map(\.count).max() ?? 0) + 4)
        print("┌" + String(repeating: "─", count: width - 2) + "┐")
        for line in lines { print("│ " + line + String(repeating: " ", count: width - 4 - line.count) + " │") }
        print("└" + String(repeating: "─", count: width - 2) + "┘")
        fflush(nil)
    }
}
