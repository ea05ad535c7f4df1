package import Entitlements
import StrictJSON

/// A name or number that stands in a notification or in a text signed inside it. When a person is exported or erased,
/// the notification is found by these names (`semantics.md` §5). So they are collected everywhere in the text, also
/// from members that this server does not read.
package enum NotificationName: Hashable, Sendable {
    /// An `appAccountToken`.
    case accountToken(AccountToken)
    /// An `appTransactionId`, and the app in which it is valid.
    case account(String, in: AppID)
    /// An `originalTransactionId`.
    case purchase(ExternalID)
}

extension VerifiedNotification {
    /// The names and numbers that stand in the notification.
    package var names: Set<NotificationName> { NotificationName.all(inText: json, of: AppID(""), depth: 0) }
}

extension NotificationName {
    /// The depth to which texts inside texts are read: the notification and the texts that Apple signed inside it.
    private static let maximumDepth = 2

    fileprivate static func all(inText json: [UInt8], of app: AppID, depth: Int) -> Set<NotificationName> {
        // `try?` drops the error: a text that is no strict JSON has no names. Member names are not bounded, because a
        // signed text may have many.
        guard let json = try? StrictJSON(json, boundsNames: false) else { return [] }
        return all(in: JSONValue(json), of: app, depth: depth)
    }

    private static func all(in value: JSONValue, of app: AppID, depth: Int) -> Set<NotificationName> {
        if let text = value.string, depth < maximumDepth {
            // `try?` drops the error: a string that is no signed text has no names inside.
            let signed = try? CompactJWS(text, maximumBytes: SignedNotification.maximumBytes)
            return signed.map { all(inText: $0.payload, of: app, depth: depth + 1) } ?? []
        }
        var names: Set<NotificationName> = []
        for element in value.elements ?? [] { names.formUnion(all(in: element, of: app, depth: depth)) }
        let app = value["bundleId"]?.string.map { AppID($0) } ?? app
        for (member, value) in value.members ?? [] {
            if let name = NotificationName(member, value.string, of: app) { names.insert(name) }
            names.formUnion(all(in: value, of: app, depth: depth))
        }
        return names
    }

    /// Nil for a member that is no name.
    private init?(_ member: String, _ text: String?, of app: AppID) {
        guard let text, PayloadReader.isIdentifier(text) else { return nil }
        switch member {
        case "appAccountToken":
            guard let token = AccountToken(text) else { return nil }
            self = .accountToken(token)
        case "appTransactionId": self = .account(text, in: app)
        case "originalTransactionId": self = .purchase(ExternalID(text))
        default: return nil
        }
    }
}
