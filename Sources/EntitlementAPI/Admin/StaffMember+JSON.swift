import Entitlements
package import LedgerStore

extension StaffMember {
    /// The person as a JSON object, with the link that sets a password if there is one.
    package func json(link: String? = nil) -> [UInt8] {
        JSONWriter.object { json in
            json.member("id", String(id))
            json.member("name", name)
            json.member("role", role.rawValue)
            json.member("has_password", hasPassword)
            json.member("created_at", createdAt)
            json.member("disabled_at", disabledAt)
            if let link { json.member("link", link) }
        }
    }
}
