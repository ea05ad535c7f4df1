#if canImport(StoreKit)
    import Foundation
    import StoreKit
    #if canImport(UIKit)
        import UIKit
        public typealias PurchaseAnchor = UIScene
        public typealias RefundAnchor = UIWindowScene
    #else
        import AppKit
        public typealias PurchaseAnchor = NSWindow
        public typealias RefundAnchor = NSViewController
    #endif

    extension SignIn {
        /// The Apple account of the device, for apps without a login. The server verifies, so an unverified text is
        /// sent as well, and judged.
        public static var appleAccount: SignIn {
            .appTransaction { try await AppTransaction.shared.jwsRepresentation }
        }
    }

    extension Gatepass {
        /// True where this person may buy. Where parents or a profile forbid it, show no shop.
        public static var canMakePayments: Bool { AppStore.canMakePayments }

        // MARK: Buying

        /// Delivers what comes by itself: Ask to Buy, other devices, offer codes, refunds, and what was not finished.
        /// Call it once, in a task from the app's start, that lasts as long as the app. `told` hears what became of
        /// each.
        public func listen(_ told: @escaping @MainActor (Delivery) -> Void = { _ in }) async {
            let atStart = Task { await deliverUnfinished(told) }
            for await result in Transaction.updates { told(await deliver(result)) }
            await atStart.value
        }

        /// After each sign-in, and on return to the foreground: what could not be delivered before it.
        public func deliverUnfinished(_ told: @escaping @MainActor (Delivery) -> Void = { _ in }) async {
            for await result in Transaction.unfinished { told(await deliver(result)) }
        }

        /// The options of each purchase: the account token, or nothing where it cannot be had.
        public func purchaseOptions() async -> Set<Product.PurchaseOption> {
            guard let token = await accountToken() else { return [] }
            return [.appAccountToken(token)]
        }

        /// Buys by whatever shows the sheet, such as SwiftUI's `PurchaseAction`. Throws what StoreKit throws; nil where
        /// the person thought better of it.
        public func buy(
            _ product: Product,
            by purchase: @MainActor (Product, Set<Product.PurchaseOption>) async throws -> Product.PurchaseResult
        ) async throws -> Delivery? {
            await completed(try await purchase(product, await purchaseOptions()))
        }

        /// Buys, with the sheet in this scene of an iPhone, or at this window of a Mac.
        @available(macOS 15.2, *)
        public func buy(_ product: Product, confirmIn anchor: PurchaseAnchor) async throws -> Delivery? {
            try await buy(product) { try await $0.purchase(confirmIn: anchor, options: $1) }
        }

        #if !os(visionOS)
            /// Buys, with the sheet where the system puts it.
            public func buy(_ product: Product) async throws -> Delivery? {
                try await buy(product) { try await $0.purchase(options: $1) }
            }
        #endif

        /// Delivers the result of a purchase, also of a `StoreView`: hand this to `onInAppPurchaseCompletion`.
        public func completed(_ result: Product.PurchaseResult) async -> Delivery? {
            switch result {
            case .success(let result): await deliver(result)
            case .pending: .pending  // a parent is asked: it comes to `listen`, perhaps at a later start
            case .userCancelled: nil
            @unknown default: .pending
            }
        }

        /// A refund is told apart from its purchase.
        private func deliver(_ result: VerificationResult<Transaction>) async -> Delivery {
            let transaction = result.unsafePayloadValue
            let name = "\(transaction.id)" + (transaction.revocationDate == nil ? "" : " revoked")
            return await deliver(result.jwsRepresentation, name: name) { await transaction.finish() }
        }

        // MARK: Restoring and refunds

        /// For a button "Restore purchases", and with `syncing: false` once after each sign-in. `AppStore.sync()` asks
        /// for the App Store password, so it is for a tap alone.
        @discardableResult
        public func restorePurchases(syncing: Bool = true) async throws(GatepassError) -> Restored {
            if syncing { try? await AppStore.sync() }  // where the person declines, the rest goes on
            var found: [VerificationResult<Transaction>] = []
            for await result in Transaction.all { found.append(result) }
            let all = found
            let restored = try await restore(all.map(\.jwsRepresentation), proof: await device.proof()) { place in
                await all[place].unsafePayloadValue.finish()
            }
            await deliverUnfinished()
            return restored
        }

        /// Shows Apple's sheet for a refund of the newest purchase of a product; false where there is none, or the
        /// person thought better of it. Apple decides within days, and the server hears of it.
        public func beginRefund(of storeProductID: String, in anchor: RefundAnchor) async throws -> Bool {
            guard let latest = await Transaction.latest(for: storeProductID) else { return false }
            return try await latest.unsafePayloadValue.beginRefundRequest(in: anchor) == .success
        }

        // MARK: The Apple account

        /// Behind a button, and nowhere else: Apple asks for the App Store password. The remedy of `stale`.
        public func refreshAppleAccount() async throws {
            try await session(with: AppTransaction.refresh().jwsRepresentation)
            try await refresh()
        }

        /// Behind a button "Bring my purchases here", with the token of the person who has just signed in: everything
        /// of the Apple account becomes theirs. Where it is `stale`, another button calls it with `refreshing`.
        public func adopt(ownToken: String, refreshing: Bool = false) async throws {
            let account = try await refreshing ? AppTransaction.refresh() : AppTransaction.shared
            try await adopt(ownToken: ownToken, appTransaction: account.jwsRepresentation)
        }

        nonisolated static func appTransactionText() async -> String? {
            try? await AppTransaction.shared.jwsRepresentation  // not to be had: the rest goes on without it
        }
    }
#else
    extension Gatepass {
        /// Only Apple's systems have a proof of the Apple account.
        nonisolated static func appTransactionText() async -> String? { nil }
    }
#endif
