import Entitlements

/// The members that operators' requests have in common.
extension JSONBody {
    /// The optional `reason`, in an operator's words.
    ///
    /// - Throws: `invalid_request` if it is no text or too long.
    func reason() throws(Problem) -> String? { try text("reason", characters: 1...Note.longestReason) }

    /// The required `reason`.
    ///
    /// - Throws: `invalid_request` if it is missing, no text or too long.
    func requiredReason() throws(Problem) -> String {
        try required("reason") { _ throws(Problem) in try reason() }
    }

    /// The user id in the required member `name`.
    ///
    /// - Throws: `invalid_request` if it is missing or no user id.
    func requiredUser(_ name: String) throws(Problem) -> UserID {
        let named = try required(name) { name throws(Problem) in
            try text(name, characters: 1...UserID.maximumLength)
        }
        guard let user = UserID(named) else { throw .invalidRequest("The member must be a user id.", at: "#/" + name) }
        return user
    }

    /// The purchase that the members `external_id`, `source` and `environment` name; the last two are optional.
    ///
    /// - Throws: `invalid_request` if the id is missing, or the source or environment cannot be read.
    func requiredPurchase() throws(Problem) -> PurchaseName {
        let id = ExternalID(try requiredText("external_id"))
        let source = try text("source", characters: 1...32).map { Source($0) }
        return PurchaseName(id, source: source, environment: try choice("environment"))
    }

    /// The RFC 3339 instant in the optional member `name`.
    ///
    /// - Throws: `invalid_request` for anything else.
    func instant(_ name: String) throws(Problem) -> Instant? {
        guard let text = try text(name, characters: 1...64) else { return nil }
        guard let instant = RFC3339.instant(text) else {
            throw .invalidRequest(
                "The member must be an RFC 3339 instant such as 2026-01-15T00:00:00Z.", at: "#/" + name)
        }
        return instant
    }
}
