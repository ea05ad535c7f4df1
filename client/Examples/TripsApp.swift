// An app without a login that sells passes: a paywall, a gate, restoring, refunds, and the two answers that need a tap.
// It is not compiled here but for its types: see README.md.
import Foundation
import GatepassClient
import StoreKit
import SwiftUI

#if canImport(UIKit)
    import UIKit
#endif

@main
struct TripsApp: App {
    @State private var gatepass: Gatepass
    @Environment(\.scenePhase) private var phase

    init() {
        // swift-format-ignore: NeverForceUnwrap
        let server = URL(string: "https://pass.example.com")!
        let gatepass = Gatepass(server: server, signIn: .appleAccount)
        _gatepass = State(initialValue: gatepass)
        Task { await gatepass.listen() }  // from the start to the end of the app
    }

    var body: some Scene {
        WindowGroup {
            Trips()
                .environment(gatepass)
                .onChange(of: phase, initial: true) {
                    if phase == .active { Task { try? await gatepass.refresh() } }  // what is kept counts on
                }
        }
    }
}

/// The gate: what is open, and how much of it.
struct Trips: View {
    @Environment(Gatepass.self) private var gatepass
    @State private var shopping = false
    @State private var saved = 3

    var body: some View {
        List {
            Text(gatepass.isActive ? "You have \(gatepass.status?.tier ?? "a pass")" : "You have no pass")
            if gatepass.has("maps") { Text("The map") }
            Button("Save this trip") { saved += 1 }
                .disabled(saved >= gatepass.limit("saved_trips") ?? 1)
            Button("Passes") { shopping = true }
        }
        .sheet(isPresented: $shopping) { Shop() }
    }
}

/// The paywall. Apple's view shows the products and sells them; the client gives the options and delivers.
struct Shop: View {
    @Environment(Gatepass.self) private var gatepass
    @State private var products: [String] = []
    @State private var news = ""
    @State private var isStale = false

    var body: some View {
        VStack {
            if Gatepass.canMakePayments { shelf } else { Text("Purchases are not allowed on this device.") }
            Text(news)
            Button("Restore purchases") { restore() }
            if isStale { Button("Confirm your Apple account") { confirm() } }
            #if canImport(UIKit)
                Button("Ask for a refund") { refund() }
            #endif
        }
        .task { products = (try? await gatepass.products().map(\.productID)) ?? [] }
    }

    private var shelf: some View {
        StoreView(ids: products)
            .inAppPurchaseOptions { _ in await gatepass.purchaseOptions() }
            .onInAppPurchaseCompletion { _, result in
                if case .success(let purchase) = result { tell(await gatepass.completed(purchase)) }
            }
    }

    private func tell(_ delivery: Delivery?) {
        switch delivery {
        case nil, .delivered(nil): news = ""
        case .delivered(_?): news = "Paid, and on its way. We are looking into it."
        case .pending: news = "It comes as soon as it is approved."
        case .afterSignIn(let error): show(error)
        case .refused: news = "Paid, and not accepted. Please write to us."
        }
    }

    private func restore() {
        Task {
            do throws(GatepassError) {
                try await gatepass.restorePurchases()
                news = gatepass.isActive ? "Restored." : "There was nothing to restore."
            } catch {
                show(error)
            }
        }
    }

    /// Apple asks for the App Store password here, so only a tap leads to it.
    private func confirm() {
        Task {
            do {
                try await gatepass.refreshAppleAccount()
                isStale = false
            } catch {
                news = "That did not work. Please try again later."
            }
        }
    }

    private func show(_ error: GatepassError) {
        switch error {
        case .stale: isStale = true
        case .wait(let seconds, _): news = "Please try again in \(seconds) seconds."
        case .noAnswer: news = "There is no connection. What you have stays yours."
        case .notSignedIn: news = "Please sign in to the App Store."
        case .refused(let problem): news = "Please write to us: \(problem.requestID ?? problem.code.rawValue)"
        }
    }

    #if canImport(UIKit)
        private func refund() {
            guard let product = gatepass.status?.entitlements?.first?.storeProductID,
                let scene = UIApplication.shared.connectedScenes.first as? UIWindowScene
            else { return }
            Task { _ = try? await gatepass.beginRefund(of: product, in: scene) }  // Apple's sheet says what failed
        }
    #endif
}
