// As UIKit.swift, for StoreKit on an iPhone and on a Mac. Pages are under
// https://developer.apple.com/documentation/storekit/.
import Foundation

#if canImport(UIKit)
    import UIKit
#else
    import AppKit
#endif

/// appstore, …/canmakepayments, …/sync()
public enum AppStore {
    public static var canMakePayments: Bool { true }
    public static func sync() async throws {}
}

/// verificationresult, …/unsafepayloadvalue
@frozen public enum VerificationResult<SignedType> {
    case unverified(SignedType, VerificationError)
    case verified(SignedType)

    public enum VerificationError: Error { case invalidSignature }
    public var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let value, _), .verified(let value): value
        }
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}

/// verificationresult/jwsrepresentation-21vgo (transactions); that of app transactions has a page of its own
extension VerificationResult where SignedType == Transaction {
    public var jwsRepresentation: String { "" }
}

extension VerificationResult where SignedType == AppTransaction {
    public var jwsRepresentation: String { "" }
}

/// apptransaction, …/shared, …/refresh()
public struct AppTransaction: Sendable {
    public static var shared: VerificationResult<AppTransaction> { get async throws { throw CancellationError() } }
    public static func refresh() async throws -> VerificationResult<AppTransaction> { throw CancellationError() }
}

/// transaction, …/id, …/revocationdate, …/finish()
public struct Transaction: Identifiable, Sendable {
    public let id: UInt64
    public let revocationDate: Date?
    public func finish() async {}

    /// transaction/updates, …/unfinished, …/all, …/latest(for:)
    public static var updates: Transactions { Transactions() }
    public static var unfinished: Transactions { Transactions() }
    public static var all: Transactions { Transactions() }
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? { nil }

    /// transaction/transactions
    public struct Transactions: AsyncSequence, Sendable {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> VerificationResult<Transaction>? { nil }
        }
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }

    /// transaction/refundrequeststatus
    public enum RefundRequestStatus: Sendable { case success, userCancelled }

    #if canImport(UIKit)
        /// transaction/beginrefundrequest(in:)-9k0pj
        @MainActor
        public func beginRefundRequest(in scene: UIWindowScene) async throws -> RefundRequestStatus { .success }
    #else
        /// transaction/beginrefundrequest(in:)-63bvd
        @MainActor
        public func beginRefundRequest(in controller: NSViewController) async throws -> RefundRequestStatus { .success }
    #endif
}

/// product, …/id
public struct Product: Identifiable, Sendable {
    public let id: String

    /// product/purchaseoption, …/appaccounttoken(_:)
    public struct PurchaseOption: Hashable, Sendable {
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { PurchaseOption() }
    }

    /// product/purchaseresult
    public enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        case pending
    }

    /// product/purchase(options:), which visionOS lacks
    @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult { .pending }
    #if canImport(UIKit)
        /// product/purchase(confirmin:options:)-6dj6y
        @MainActor public func purchase(
            confirmIn scene: some UIScene, options: Set<PurchaseOption> = []
        ) async throws -> PurchaseResult { .pending }
    #else
        /// product/purchase(confirmin:options:)-8eai6, since macOS 15.2
        @MainActor public func purchase(
            confirmIn window: NSWindow, options: Set<PurchaseOption> = []
        ) async throws -> PurchaseResult { .pending }
    #endif
}
