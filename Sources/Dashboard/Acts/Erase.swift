import EntitlementAPI
import Entitlements
import LedgerStore

/// Erases a person, as `POST …/erase` does. Whoever asks for it types the user id.
enum Erase: PersonAct {
    static let path = "erase"
    static let scope = APIKeyScope.admin
    static let title = Phrase.actErase
    static let hint = Phrase.actEraseText
    static let isTaking = true

    static func fields(_ desk: Desk) -> [FormField] {
        [
            FormField(
                name: "typed", label: desk.words.text(.fieldTyped), value: desk.form["typed"],
                hint: desk.words.text(.typedHint), longest: UserID.maximumLength),
            desk.reasonField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        guard desk.form["typed"] == desk.user.text else {
            return .failure(ActRefusal(.refusedTyped, field: "typed"))
        }
        return desk.reason().map { reason in
            Proposal(
                act: act(desk, reason), button: desk.words.text(.eraseButton), done: desk.words.text(.eraseDone))
        }
    }

    private static func act(_ desk: Desk, _ reason: String) -> PreparedAct {
        let (user, lengths, now) = (desk.user, LedgerLengths(of: desk.ledger), desk.visit.now)
        let request = IdempotentRequest(
            of: desk.visit.member, key: desk.label(.idempotencyKey, of: path),
            digest: desk.label(.request, of: path, reason),
            about: .user(desk.labels.label(.user, user.text), and: nil))
        return PreparedAct(
            preview: { store in
                guard let rows = try await store.erasure.preview(user) else {
                    return .failure(ActRefusal(.refusedNobody))
                }
                return .success(ActPreview(at: now, lengths: lengths, rows: rows))
            },
            carryOut: { visit, seen throws(Problem) in
                switch try await visit.served({ try await $0.idempotency.claim(request) }) {
                case .answered: return .done
                case .reused, .inProgress: throw Problem(.idempotencyInProgress, "")
                case .claimed(let claim):
                    let isErased: Bool?
                    do throws(Problem) {
                        isErased = seen == lengths ? try await erase(user, reason, claim, visit) : nil
                    } catch {
                        // Lost: that the claim was not released. It ends by itself.
                        try? await visit.served { try await $0.idempotency.release(claim) }
                        throw error
                    }
                    if isErased != true { try await visit.served { try await $0.idempotency.release(claim) } }
                    return isErased.map { $0 ? .done : .refused(ActRefusal(.refusedNobody)) } ?? .outdated
                }
            })
    }

    private static func erase(
        _ user: UserID, _ reason: String, _ claim: IdempotencyClaim, _ visit: SignedVisit
    ) async throws(Problem) -> Bool {
        let actor = Actor(visit.member)
        return try await visit.visit.call.erase(user, by: actor, reason: reason) {
            RememberedAnswer(claim: claim, status: 303, body: [])
        }
    }
}
