import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/users/{user_id}/acts`: all acts that the reader's role may do to a person.
enum AllActsPage {
    /// - Throws: `not_found` for a malformed user id.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let user = try visit.user()
        let words = visit.words
        let rows = [
            row(GiveDays.self, user, visit), row(GiveUntil.self, user, visit), row(GiveAddOn.self, user, visit),
            row(GiveCredits.self, user, visit), row(MakeGood.self, user, visit), row(Merge.self, user, visit),
            row(NameTester.self, user, visit), row(UnnameTester.self, user, visit), row(Transfer.self, user, visit),
            row(Revoke.self, user, visit), row(SpendCredits.self, user, visit), row(RemoveDevice.self, user, visit),
            row(SignOutUser.self, user, visit), row(Erase.self, user, visit),
        ]
        return visit.page(words.text(.allActs)) {
            Tag.div {
                Tag.p(.class("crumbs")) {
                    Tag.a(.href(Link("users", user.text))) { Tag.code { user.text } }
                }
                Tag.h1 { words.text(.allActs) }
            }
            Tag.section(.class("panel"), .ariaLabel(words.text(.allActs))) {
                Tag.ul(.class("list")) { rows }
            }
        }
    }

    private static func row<Act: PersonAct>(_ act: Act.Type, _ user: UserID, _ visit: SignedVisit) -> Markup {
        guard visit.member.role.allows(Act.scope) else { return .nothing }
        return Tag.li {
            Tag.div(.class("main")) {
                Tag.a(.class(Act.isTaking ? "taking" : ""), .href(ActPages<Act>.link(to: user))) {
                    visit.words.text(Act.title)
                }
                Tag.p(.class("muted")) { visit.words.text(Act.hint) }
            }
        }
    }
}
