import Foundation
import StoreSimulator

/// A sale of the simulated card account, stored as a file of the installation.
struct KeptCardSale: Codable {
    /// The length of each period in days, if the command named one; nil for the plan's month or year.
    let days: Int?
    /// The order of sales: a later sale has a larger number.
    let number: Int64
    var sale: SimulatedCardSale

    /// Writes the sale to its file. Throws an error of the file system.
    func keep(in installation: Installation) throws {
        let file = installation.cardSales.appendingPathComponent("\(sale.account.tag).json")
        try installation.write(String(decoding: try JSONEncoder().encode(self), as: UTF8.self), to: file)
    }

    /// The newest sale to `user`. Throws `SimulatedSale.Failure` if there is none, or an error if a file is broken.
    static func newest(of user: String, in installation: Installation) throws -> KeptCardSale {
        let kept: [KeptCardSale] = try installation.documents(in: installation.cardSales)
        guard let newest = kept.filter({ $0.sale.user == user }).max(by: { $0.number < $1.number }) else {
            throw SimulatedSale.Failure(
                description: "\(user) paid nothing by card here: run `gatepass simulate stripe checkout` first")
        }
        return newest
    }
}
