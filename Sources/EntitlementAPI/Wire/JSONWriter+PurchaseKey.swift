import Entitlements

extension JSONWriter {
    /// Writes the members that identify a purchase into an object that has been begun.
    mutating func members(of key: PurchaseKey) {
        member("source", key.source.text)
        member("app", key.appText)
        member("environment", key.environment.rawValue)
        member("external_id", key.externalID.text)
    }
}

extension PurchaseKey {
    /// The app's bundle id; nil for a grant that belongs to no app.
    var appText: String? { app.text.isEmpty ? nil : app.text }
}
