import EntitlementAPI
import Entitlements

/// The links from the customer page to the acts that the reader may do.
extension CustomerView {
    private var user: UserID { customer.user }

    /// The acts that are wanted most, beside the verdict.
    var acts: Markup {
        guard mayAct else { return .nothing }
        return Tag.p(.class("acts")) {
            Tag.a(.class("button first"), .href(ActPages<GiveDays>.link(to: user))) { words.text(GiveDays.title) }
            Tag.a(.class("button"), .href(ActPages<GiveCredits>.link(to: user))) { words.text(GiveCredits.title) }
            if !customer.status.entitlements.isEmpty {
                Tag.a(.class("button"), .href(ActPages<Transfer>.link(to: user))) { words.text(Transfer.title) }
                Tag.a(.class("button taking"), .href(ActPages<Revoke>.link(to: user))) { words.text(Revoke.title) }
            }
            Tag.a(.class("button"), .href(Link("users", user.text, "acts"))) { words.text(.allActs) }
        }
    }

    /// The acts on a purchase that counts, or did.
    func acts(on entitlement: Entitlement) -> Markup {
        guard entitlement.state != .revoked, customer.purchase(entitlement.key)?.isHeld == true else { return .nothing }
        return link(Revoke.self, entitlement.key, .linkRevoke) + Markup(" ")
            + link(Transfer.self, entitlement.key, .linkTransfer)
    }

    /// The act that would make a purchase count that gives nothing.
    func acts(onUseless entitlement: Entitlement) -> Markup {
        switch customer.reasons[entitlement.key] {
        case .endedBeforeAttached?: Tag.br() + link(MakeGood.self, entitlement.key, .actMakeGood)
        case .sandboxNotAllowed?:
            Tag.br() + Tag.a(.href(ActPages<NameTester>.link(to: user))) { words.text(.linkTester) }
        default: .nothing
        }
    }

    private func link<Act: PersonAct>(_ act: Act.Type, _ key: PurchaseKey, _ phrase: Phrase) -> Markup {
        let link = ActPages<Act>.link(to: user, query: [("purchase", Desk.name(of: key))])
        return Tag.a(.class(Act.isTaking ? "taking" : ""), .href(link)) { words.text(phrase) }
    }

    func act(on device: Device) -> Markup {
        let link = ActPages<RemoveDevice>.link(
            to: user, query: [("device", customer.deviceNames.name(device.id))])
        return Tag.a(.class("taking"), .href(link)) { words.text(.linkRemove) }
    }

    var creditActs: Markup {
        guard mayAct else { return .nothing }
        let give = Tag.a(.href(ActPages<GiveCredits>.link(to: user))) { words.text(.linkGive) }
        guard !customer.status.credits.isEmpty else { return give }
        return give + Markup(" · ")
            + Tag.a(.class("taking"), .href(ActPages<SpendCredits>.link(to: user))) { words.text(.linkTake) }
    }
}
