import Entitlements

/// The JSON of an entitlement token's claims (RFC 7519 §4; `api.md` lists them).
struct EntitlementClaims {
    /// The claim `iss`. It names the product, because apps cannot know the name of a server beforehand.
    static let issuer = "gatepass"
    /// The header's `typ` (RFC 8725 §3.11), by which verifiers tell this token from tokens for other purposes.
    static let type = "entitlement+jwt"

    let bytes: [UInt8]
    /// The claim `exp` as an instant, cut to whole seconds.
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
    /// Writes the claims from which an app unlocks features. Their names are those in the answer of a status.
    fileprivate mutating func appendSubstance(of offline: OfflineEntitlement, catalogVersion: Int) {
        appendAccess(of: offline.status)
        name("add_ons")
        array(offline.status.addOns) { $0.append($1) }
        name("environments")
        array(offline.environments) { $0.value($1.rawValue) }
        member("catalog_version", catalogVersion)
    }
}
