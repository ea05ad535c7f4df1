import Foundation
import StoreSimulator

/// A sale of the simulated card account, as the installation keeps it.
struct KeptCardSale: Codable {
    /// The length of each period in days, where the command named one; else the plan's own.
    let days: Int?
    /// Later sales have larger numbers.
    let number: Int64
    var sale: SimulatedCardSale

    /// Keeps it. Throws what the file system refuses.
    func keep(in installation: Installation) throws {
        let file = installation.cardSales.appendingPathComponent("\(sale.account.tag).json")
        try installation.write(String(decoding: try JSONEncoder().encode(self), as: UTF8.self), to: file)
    }

    /// The newest sale to `user`. Throws `SimulatedSale.Failure` when there is none, and for a file that is broken.
    static func newest(of user: String, in installation: Installation) throws -> KeptCardSale {
        let kept: [KeptCardSale] = try installation.documents(in: installation.cardSales)
        guard let newest = kept.filter({ $0.sale.user == user }).max(by: { $0.number < $1.number }) else {
            throw SimulatedSale.Failure(
                description: "\(user) paid nothing by card here: run `gatepass simulate stripe checkout` first")
        }
        return newest
    }
}
