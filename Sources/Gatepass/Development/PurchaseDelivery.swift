import AppStore
import Entitlements
import Foundation

/// Brings a purchase to the running server, as the user's app would.
struct PurchaseDelivery {
    let simulation: SimulationOptions
    let installation: Installation

    /// Prints the text, or posts it and prints the answer. Throws `RunningServer.Failure` when there is no server or it
    /// refuses. What the server took is kept as delivered.
    func deliver(_ signed: SignedTransaction, of sold: SoldPurchase) async throws {
        guard !simulation.printsOnly else {
            return print(simulation.json ? try Self.document(signed, sold, answer: nil) : signed.text)
        }
        let answer = try await RunningServer(on: installation).attach(signed.text, as: try simulation.userID())
        print(simulation.json ? try Self.document(signed, sold, answer: answer.body) : answer.body)
        guard answer.isOK else {
            throw RunningServer.Failure(description: "the server answered \(answer.status)")
        }
        var delivered = sold
        delivered.delivered = true
        try delivered.keep(in: installation)
    }

    private static func document(_ signed: SignedTransaction, _ sold: SoldPurchase, answer: String?) throws -> String {
        var document: [String: Any] = ["transaction_id": sold.transactionID, "jws": signed.text]
        if let answer { document["answer"] = try JSONSerialization.jsonObject(with: Data(answer.utf8)) }
        return try JSONText.pretty(document)
    }
}

/// JSON for people and scripts alike.
enum JSONText {
    /// In lines, names in order. Throws for values that JSON does not have.
    static func pretty(_ document: Any) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys]),
            as: UTF8.self)
    }
}
