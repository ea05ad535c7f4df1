import AppStore
import Crypto
import Entitlements
import Foundation
import StoreSimulator

/// A one-time purchase that the simulator sold, stored as a file of the installation. It has all that is needed to sign
/// each later state.
struct SoldPurchase: Codable {
    let transactionID: String
    let user: String
    let product: String
    let type: String
    let bundleID: String
    private(set) var purchasedAt: Int64
    let quantity: Int64
    let environment: String
    /// The user whose Apple account bought it; nil if it is the user's own.
    let appleAccount: String?
    var accountToken: String?
    /// The instant at which the newest state was signed. The next state is signed later.
    var signedAt: Int64
    /// True if the server accepted a state of the purchase.
    var delivered: Bool
    /// True if a family member shares the purchase with the user; nil means false.
    var isFamilyMember: Bool?
    /// True if the purchase still waits for a parent's approval; nil means false.
    var isAskedFor: Bool?
    /// True if the server learns of the purchase by a notification only; nil means false.
    var isTold: Bool?
    /// The revocation that is in force, if any.
    var revocation: SimulatedSubscription.Revocation?

    /// The newest state, as the App Store would write it.
    var transaction: SimulatedTransaction {
        var transaction = SimulatedTransaction(
            transactionID, of: product, type: ProductType(rawValue: type), bundleId: bundleID, at: purchasedAt)
        transaction.quantity = quantity
        transaction.environment = StoreEnvironment(rawValue: environment) ?? .sandbox
        transaction.appAccountToken = accountToken
        transaction.appTransactionId = Self.appTransactionID(of: appleAccount ?? user)
        if isFamilyMember == true { transaction = transaction.familyShared() }
        if let revocation {
            transaction =
                revocation.percentage.map { transaction.refunded(at: revocation.date, percentage: $0) }
                ?? transaction.familyRevoked(at: revocation.date)
        }
        return transaction.signed(at: signedAt)
    }

    /// The `appTransactionId` of the user's Apple account. Each user has an account of their own.
    static func appTransactionID(of user: String) -> String {
        let digest = SHA256.hash(data: Data(user.utf8)).prefix(7)
        return "7\(digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
    }

    /// An id of digits, like Apple's. Later ids are larger.
    static func newTransactionID() -> String {
        "2\(Surroundings.now().milliseconds)\(Int.random(in: 100...999))"
    }

    /// A parent approves the purchase, so it happens at `instant`.
    mutating func approve(at instant: Int64) {
        isAskedFor = nil
        purchasedAt = instant
        signedAt = instant
        delivered = true
    }

    /// Writes the purchase to its file. Throws an error of the file system.
    func keep(in installation: Installation) throws {
        try installation.write(
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self), to: file(in: installation))
    }

    /// Removes the file of a purchase that was declined.
    func remove(from installation: Installation) {
        try? FileManager.default.removeItem(at: file(in: installation))  // it was not kept
    }

    private func file(in installation: Installation) -> URL {
        installation.purchases.appendingPathComponent("\(transactionID).json")
    }

    /// All stored purchases, also those that wait for approval. Throws if a file is broken.
    static func all(in installation: Installation) throws -> [SoldPurchase] {
        try installation.documents(in: installation.purchases)
    }

    /// The purchase with this transaction id, or the newest delivered one of `user`; nil if there is none. Throws if a
    /// file is broken.
    static func find(_ transactionID: String?, of user: String, in installation: Installation) throws -> SoldPurchase? {
        let sold = try all(in: installation).filter { $0.isAskedFor != true }
        if let transactionID { return sold.first { $0.transactionID == transactionID } }
        return sold.filter { $0.user == user && $0.delivered }.max { $0.transactionID < $1.transactionID }
    }
}
