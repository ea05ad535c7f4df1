import Entitlements

/// The claims of an entitlement token, as JSON (RFC 7519 §4; `api.md` names them all).
struct EntitlementClaims {
    /// The issuer is the product, for a server has no name that an app could know beforehand.
    static let issuer = "gatepass"
    /// The header's `typ` (RFC 8725 §3.11): no other token of this server may be taken for one.
    static let type = "entitlement+jwt"

    let bytes: [UInt8]
    /// The claim `exp` as an instant: whole seconds, cut.
    let expiresAt: Instant

    init(_ offline: OfflineEntitlement, for app: AppID, catalogVersion: Int) {
        let status = offline.status
        let (issued, expires) = (Self.seconds(status.at), Self.seconds(offline.endsAt))
        expiresAt = Instant(milliseconds: expires * 1_000)
        var json = JSONWriter()
        json.beginObject()
        json.member("iss", Self.issuer)
        json.member("sub", status.user.text)
        json.name("aud")
        json.array([app]) { $0.value($1.text) }
        json.member("iat", Int(issued))
        json.member("nbf", Int(issued))
        json.member("exp", Int(expires))
        json.appendSubstance(of: offline, catalogVersion: catalogVersion)
        json.endObject()
        bytes = json.bytes
    }

    private static func seconds(_ instant: Instant) -> Int64 { instant.milliseconds / 1_000 }
}

extension JSONWriter {
    /// The claims by which an app unlocks, under the names that a status has.
    fileprivate mutating func appendSubstance(of offline: OfflineEntitlement, catalogVersion: Int) {
        appendAccess(of: offline.status)
        name("add_ons")
        array(offline.status.addOns) { $0.append($1) }
        name("environments")
        array(offline.environments) { $0.value($1.rawValue) }
        member("catalog_version", catalogVersion)
    }
}
