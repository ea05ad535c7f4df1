import Foundation

/// The device around the client: tests bring their own.
struct Surroundings: Sendable {
    /// For tokens.
    var secrets: Storage
    /// For the days of `never`.
    var notes: Storage
    /// The proof of the Apple account; nil where StoreKit does not give it.
    var proof: @Sendable () async -> String? = Gatepass.appTransactionText
    var pause: @Sendable (_ seconds: Int) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    var date: @Sendable () -> Date = { Date() }
    var isDebugBuild = isDebug
}

#if DEBUG
    private let isDebug = true
#else
    private let isDebug = false
#endif
