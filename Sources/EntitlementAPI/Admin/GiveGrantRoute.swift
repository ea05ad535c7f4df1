package import Entitlements
import Hummingbird
import LedgerStore

/// The routes by which an operator grants something to a user.
enum GiveGrantRoute {
    /// `POST /api/admin/users/{user_id}/grants`: grants a pass, a window, an add-on or credits.
    ///
    /// - Throws: `invalid_request`, the problem of the refusal to grant, or `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let request = try GrantRequest(body)
        let id = ExternalID(try call.nameForNew(body).text)
        let act = principal.give(request.offer, as: id, reason: request.reason, reference: request.reference)
        return try await answer(to: act, call)
    }

    /// `POST /api/admin/users/{user_id}/make-good`: grants a late pass again from now on (`semantics.md` §6, *Ended
    /// before attached*).
    ///
    /// - Throws: `invalid_request`, the problem of the refusal to make the pass good, or `unavailable`.
    static func makeGood(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let (name, reason) = (try body.requiredPurchase(), try body.requiredReason())
        let reference = try body.requiredText("reference")
        let key = try await call.purchase(name, of: principal)
        let act = principal.makeGood(key, reason: reason, reference: reference, under: try call.labels())
        return try await answer(to: act, call)
    }

    private static func answer(
        to act: LedgerAct<Told<Grant>, OperatorRefusal>, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let told = try await call.perform(act).answer.orProblem()
        return JSONAnswer(status: .created, bytes: told.reply.json)
    }
}

extension Grant {
    /// The grant as JSON, for the API and the command line.
    package var json: [UInt8] {
        JSONWriter.object { json in
            json.member("id", key.externalID.text)
            switch gift {
            case .pass(let tier, let length):
                json.member("kind", GrantRequest.Kind.addDays.rawValue)
                json.member("tier", tier.text)
                json.member("days", Int(length / Instant.millisecondsPerDay))
            case .window(let tier, let endsAt):
                json.member("kind", GrantRequest.Kind.until.rawValue)
                json.member("tier", tier.text)
                json.member("until", exactly: "until_ms", endsAt)
            case .addOn(let product, let app):
                json.member("kind", GrantRequest.Kind.addOn.rawValue)
                json.member("product_id", product.text)
                json.member("app", app.text)
            case .credits(let unit, let amount, let expiresAt):
                json.member("kind", GrantRequest.Kind.credits.rawValue)
                json.member("unit", unit)
                json.member("amount", amount)
                json.member("expires_at", exactly: "expires_at_ms", expiresAt)
            }
            json.member("granted_at", exactly: "granted_at_ms", grantedAt)
        }
    }
}
