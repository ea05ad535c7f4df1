import Entitlements
package import LedgerStore

/// A delivery of a store as operators read it (`api.md`, "Webhooks").
package struct DeliveryBody: Sendable {
    package let bytes: [UInt8]

    package init(_ delivery: RecordedDelivery) {
        var json = JSONWriter(capacity: 512)
        json.append(delivery)
        bytes = json.bytes
    }
}

extension JSONWriter {
    mutating func append(_ delivery: RecordedDelivery) {
        beginObject()
        member("id", String(delivery.id))
        member("source", delivery.source.text)
        member("app", delivery.app.text)
        member("environment", delivery.environment.rawValue)
        member("notification_id", delivery.externalID)
        member("type", delivery.type)
        member("subtype", delivery.subtype)
        member("state", delivery.standing.result.rawValue)
        member("reason", delivery.standing.reason?.rawValue)
        member("external_id", delivery.purchase?.text)
        member("user_id", delivery.owner?.text)
        member("contradicted", delivery.isContradicted)
        member("signed_at", exactly: "signed_at_ms", delivery.signedAt)
        member("received_at", exactly: "received_at_ms", delivery.receivedAt)
        member("settled_at", exactly: "settled_at_ms", delivery.settledAt)
        endObject()
    }
}
