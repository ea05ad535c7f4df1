import AppStore
import Crypto
import Entitlements
import Foundation
import StoreSimulator

/// A purchase that the simulator sold, as it keeps it: enough to sign every later state of it.
struct SoldPurchase: Codable {
    let transactionID: String
    let user: String
    let product: String
    let type: String
    let bundleID: String
    private(set) var purchasedAt: Int64
    let quantity: Int64
    let environment: String
    /// The user whose Apple account bought it; nil for the user's own.
    let appleAccount: String?
    var accountToken: String?
    /// When the newest state was signed; the next one is signed later.
    var signedAt: Int64
    /// True if the server took a state of the purchase.
    var delivered: Bool
    /// True if it is the copy of a family member; nil is no.
    var isFamilyMember: Bool?
    /// True if a parent has not approved the purchase yet; nil is no.
    var isAskedFor: Bool?
    /// True if the server is to learn of the purchase by the notification alone; nil is no.
    var isTold: Bool?
    /// The refund or withdrawal that was not undone.
    var revocation: SimulatedSubscription.Revocation?

    /// The newest state, as the App Store would describe it.
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

    /// Every user has an Apple account of their own.
    static func appTransactionID(of user: String) -> String {
        let digest = SHA256.hash(data: Data(user.utf8)).prefix(7)
        return "7\(digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
    }

    /// An id like Apple's: digits, later ones larger.
    static func newTransactionID() -> String {
        "2\(Surroundings.now().milliseconds)\(Int.random(in: 100...999))"
    }

    /// The purchase happens at `instant`: a parent approved it.
    mutating func approve(at instant: Int64) {
        isAskedFor = nil
        purchasedAt = instant
        signedAt = instant
        delivered = true
    }

    /// Keeps it. Throws what the file system refuses.
    func keep(in installation: Installation) throws {
        try installation.write(
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self), to: file(in: installation))
    }

    /// Removes a purchase that never happened.
    func remove(from installation: Installation) {
        try? FileManager.default.removeItem(at: file(in: installation))  // it was not kept
    }

    private func file(in installation: Installation) -> URL {
        installation.purchases.appendingPathComponent("\(transactionID).json")
    }

    /// All that were sold or asked for. Throws for a file that is broken.
    static func all(in installation: Installation) throws -> [SoldPurchase] {
        try installation.documents(in: installation.purchases)
    }

    /// The purchase `transactionID`, or the newest delivered one of `user`; nil when there is none. Throws for a file
    /// that is broken.
    static func find(_ transactionID: String?, of user: String, in installation: Installation) throws -> SoldPurchase? {
        let sold = try all(in: installation).filter { $0.isAskedFor != true }
        if let transactionID { return sold.first { $0.transactionID == transactionID } }
        return sold.filter { $0.user == user && $0.delivered }.max { $0.transactionID < $1.transactionID }
    }
}
