import EntitlementAPI
import Entitlements

/// A user's status in words: a line about the access, then a line for each purchase, grant, balance and seat behind it.
/// The line of a purchase that gives nothing has the reason.
struct StatusText {
    let lines: [String]

    init(_ status: Status) {
        guard status.isKnown else {
            lines = ["\(status.user.text) was never seen"]
            return
        }
        let reasons = Dictionary(
            status.explanation.map { ($0.key, $0.reason) }, uniquingKeysWith: { first, _ in first })
        let seats = "seats: \(status.devices.active) of \(status.devices.allowed)"
        lines =
            [StatusLine(status).text]
            + status.entitlements.map { Self.line($0, because: reasons[$0.key] ?? nil) }
            + status.credits.map(Self.line)
            + (status.devices.suspended > 0 ? [seats + ", \(status.devices.suspended) suspended"] : [seats])
    }

    private static func line(_ entitlement: Entitlement, because reason: Explanation.Reason?) -> String {
        let granted = entitlement.key.source == .manual ? "granted \(entitlement.tier?.text ?? "credits")" : nil
        let count = entitlement.quantity > 1 && entitlement.kind != .plan ? "\(entitlement.quantity) × " : ""
        let name =
            entitlement.productID?.text ?? entitlement.storeProductID?.text ?? granted
            ?? entitlement.key.externalID.text
        let isSandbox = entitlement.key.environment == .sandbox
        let place = "\(entitlement.key.source.text) \(entitlement.key.externalID.text)" + (isSandbox ? ", Sandbox" : "")
        let times = [("from", entitlement.startsAt), ("until", entitlement.endsAt)].compactMap { word, instant in
            instant.map { " \(word) \(RFC3339.text(of: $0))" }
        }
        let renewal = entitlement.willRenew.map { $0 ? ", renews" : ", does not renew" } ?? ""
        let state = entitlement.state.rawValue
        let why = reason.map { $0.rawValue == state ? "" : " (\($0.rawValue))" } ?? ""
        return "  \(count)\(name) (\(place)): \(state)\(why)" + times.joined() + renewal
    }

    static func line(_ balance: CreditBalance) -> String {
        let owed = balance.debt > 0 ? ", \(balance.debt) owed" : ""
        let place = balance.environment == .sandbox ? " (Sandbox)" : ""
        return "\(balance.unit)\(place): \(balance.spendable) spendable\(owed)"
    }
}
