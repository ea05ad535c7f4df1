import Entitlements
package import LedgerStore

extension RecordedDelivery {
    /// The JSON of a delivery for operators (`api.md`, "Webhooks").
    package var json: [UInt8] { JSONWriter.object { $0.members(of: self) } }
}

extension JSONWriter {
    /// Writes the members of a delivery into an object that has been begun.
    mutating func members(of delivery: RecordedDelivery) {
        member("id", String(delivery.id))
        member("source", delivery.source.text)
        member("app", delivery.app.text)
        member("environment", delivery.environment.rawValue)
        member("notification_id", delivery.externalID)
        member("type", delivery.type)
        member("subtype", delivery.subtype)
        member("state", delivery.outcome.result.rawValue)
        member("reason", delivery.outcome.reason?.rawValue)
        member("external_id", delivery.purchase?.text)
        member("user_id", delivery.owner?.text)
        member("contradicted", delivery.isContradicted)
        member("signed_at", exactly: "signed_at_ms", delivery.signedAt)
        member("received_at", exactly: "received_at_ms", delivery.receivedAt)
        member("settled_at", exactly: "settled_at_ms", delivery.settledAt)
    }
}
