import Entitlements

/// Members of operators' requests.
extension JSONBody {
    /// Why, in an operator's words; nil where none is given.
    ///
    /// - Throws: `invalid_request` for what is no text, or too long.
    func reason() throws(Problem) -> String? { try text("reason", characters: 1...Note.longestReason) }

    /// Why, where it must be said.
    ///
    /// - Throws: `invalid_request` without one.
    func requiredReason() throws(Problem) -> String {
        try required("reason") { _ throws(Problem) in try reason() }
    }

    /// A user whom a member names.
    ///
    /// - Throws: `invalid_request` for what is no user id.
    func requiredUser(_ name: String) throws(Problem) -> UserID {
        let named = try required(name) { name throws(Problem) in
            try text(name, characters: 1...UserID.maximumLength)
        }
        guard let user = UserID(named) else { throw .invalidRequest("The member must be a user id.", at: "#/" + name) }
        return user
    }

    /// A purchase of the user, by its id, and by source and environment where they are said.
    ///
    /// - Throws: `invalid_request` without an id, or for a source or an environment that is none.
    func requiredPurchase() throws(Problem) -> PurchaseName {
        let id = ExternalID(try requiredText("external_id"))
        let source = try text("source", characters: 1...32).map { Source($0) }
        return PurchaseName(id, source: source, environment: try choice("environment"))
    }

    /// An RFC 3339 instant.
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
