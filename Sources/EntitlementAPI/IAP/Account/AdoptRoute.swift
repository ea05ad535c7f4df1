import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/iap/apple/adopt`: brings what the user of an Apple account has to the caller, who signed in by an own
/// login (`semantics.md` §5, *The Apple account as sign-in*).
enum AdoptRoute {
    /// The oldest text that is adopted, in milliseconds. A stolen text would otherwise take everything for good.
    private static let longestAge: Int64 = 10 * 60_000

    /// - Throws: `not_found` where it is off, `own_login_required`, the problem of a defective request or text,
    ///   `signed_in_elsewhere`, `stale`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        guard call.api.appleTokenDays != nil else { throw .noAppleAccounts }
        guard !call.user.isAppleAccount else { throw Problem(AppleAccountRefusal.ownLoginRequired) }
        let account = try await ShownAppleAccount(in: call)
        if let refusal = account.note?.refusal(of: account.madeAt, for: account.user, adoptedBy: call.user) {
            throw Problem(refusal)
        }
        guard call.now - account.madeAt <= longestAge else { throw Problem(AppleAccountRefusal.stale) }
        let recorded = try await call.record(call.principal.adopt(account.user, under: try call.labels()))
        let hasAdopted: Bool
        switch recorded.answer {
        case .success(let answer): hasAdopted = answer
        case .failure(let refusal): throw Problem(refusal)
        }
        let at = recorded.history.now
        let status =
            recorded.answer(about: call.user, at: at)
            ?? StatusBody.answer(recorded.timeline(of: call.user, in: call.fold).status(at: at, explains: false))
        var json = JSONWriter(capacity: 2048)
        json.beginObject()
        json.member("adopted", hasAdopted)
        json.name("status")
        json.append(status, of: call.user, at: at)
        json.endObject()
        return .json(json.bytes)
    }
}
