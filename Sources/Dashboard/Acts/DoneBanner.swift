import Crypto
import EntitlementAPI
import Entitlements

extension SignedVisit {
    private static let saying = "done"
    private static let proof = "proof"

    /// The user whom the path names.
    ///
    /// - Throws: `not_found` for a malformed user id.
    func user() throws(Problem) -> UserID {
        guard let user = visit.call.named("user_id").flatMap({ UserID($0) }) else { throw Problem(.notFound, "") }
        return user
    }

    /// The link to a person after an act, with the sentence that the page shows then. The proof keeps others from
    /// making links that say what nobody did.
    func link(afterActOn user: UserID, saying sentence: String) -> Link {
        Link(
            "users", user.text, query: [(Self.saying, sentence), (Self.proof, proof(of: sentence))])
    }

    /// The banner with the sentence about an act that was just done.
    var doneBanner: Markup {
        let sentence = query.exact(Self.saying)
        guard !sentence.isEmpty, query.exact(Self.proof) == proof(of: sentence) else { return .nothing }
        return Tag.div(.class("banner done"), .role("status")) {
            Tag.p { words(.doneBanner, ["text": Tag.bdi { sentence }]) }
            Tag.a(.href(Link(fragment: "bought"))) { words.text(.toEntitlements) }
        }
    }

    private func proof(of sentence: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array("gatepass done\0".utf8) + browser.bytes + sentence.utf8))
    }
}
