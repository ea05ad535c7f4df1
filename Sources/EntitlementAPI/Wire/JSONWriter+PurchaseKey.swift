import Entitlements

extension JSONWriter {
    /// The members that name a purchase among all, into an object that is open.
    mutating func members(of key: PurchaseKey) {
        member("source", key.source.text)
        member("app", key.appText)
        member("environment", key.environment.rawValue)
        member("external_id", key.externalID.text)
    }
}

extension PurchaseKey {
    /// Nil for a grant that is of no app.
    var appText: String? { app.text.isEmpty ? nil : app.text }
}
