import EntitlementAPI
import Entitlements
import LedgerStore

/// Takes a purchase or a grant back, from now on and for good, as `POST …/revoke` does.
enum Revoke: PersonAct {
    static let path = "revoke"
    static let title = Phrase.actRevoke
    static let hint = Phrase.actRevokeText
    static let isTaking = true

    static func fields(_ desk: Desk) -> [FormField] { [desk.purchaseField(of: desk.held()), desk.reasonField] }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        desk.purchase(of: desk.held()).flatMap { purchase in
            desk.reason().map { reason in
                let values = ["name": desk.names.purchase(purchase)]
                let isGrant = purchase.key.source == .manual
                let act =
                    isGrant
                    ? PreparedAct(desk.principal.withdrawGrant(purchase.key.externalID, reason: reason)) {
                        ActRefusal($0)
                    } : PreparedAct(desk.principal.withdrawPurchase(purchase.key, reason: reason)) { ActRefusal($0) }
                let isPlan = !isGrant && purchase.kind == .plan
                return Proposal(
                    act: act,
                    button: desk.words.text(isPlan ? .revokePlanButton : .revokeButton, values),
                    done: desk.words.text(isPlan ? .revokePlanDone : .revokeDone, values))
            }
        }
    }
}

/// Moves the rest of one purchase, or of all, to another user, as `POST …/transfer` does.
enum Transfer: PersonAct {
    static let path = "transfer"
    static let title = Phrase.actTransfer
    static let hint = Phrase.actTransferText
    static let isTaking = true
    /// The value that stands for all purchases.
    static let all = "all"

    static func fields(_ desk: Desk) -> [FormField] {
        [
            desk.purchaseField(
                of: desk.held(), first: [FormField.Option(value: all, label: desk.words.text(.transferAll))]),
            desk.userField(.fieldReceiver, .receiverHint), desk.reasonField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        let purchase: Purchase?
        if desk.form.exact("purchase") == all {
            purchase = nil
        } else {
            // A purchase that has moved already is found too, so that the form sent twice is a repeat.
            switch desk.purchase(of: desk.timeline.purchases) {
            case .success(let chosen): purchase = chosen
            case .failure(let refusal): return .failure(refusal)
            }
        }
        return desk.otherUser().flatMap { receiver in
            desk.reason().map { reason in
                let selection = purchase.map { purchase in
                    OperatorAct.Selection.one(
                        PurchaseName(
                            purchase.key.externalID, source: purchase.key.source,
                            environment: purchase.key.environment))
                }
                let request = desk.label(
                    .request, of: path, desk.form.exact("purchase"), receiver.text, reason)
                let act = desk.principal.transfer(
                    selection ?? .all, to: receiver, request: request, reason: reason)
                let values = [
                    "name": purchase.map { desk.names.purchase($0) } ?? desk.words.text(.transferAll),
                    "user": receiver.text,
                ]
                return Proposal(
                    act: PreparedAct(act) { ActRefusal($0) }, button: desk.words.text(.transferButton, values),
                    done: desk.words.text(.transferDone, values))
            }
        }
    }
}

/// Moves everything of a guest to this user, as `POST …/merge` does.
enum Merge: PersonAct {
    static let path = "merge"
    static let title = Phrase.actMerge
    static let hint = Phrase.actMergeText

    static func fields(_ desk: Desk) -> [FormField] {
        [desk.userField(.fieldGuest, .guestHint), desk.reasonField]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        desk.otherUser().flatMap { guest in
            desk.reason().map { reason in
                let request = desk.label(.request, of: path, guest.text, reason)
                let act = desk.principal.merge(guest, request: request, reason: reason, under: desk.labels)
                let values = ["user": guest.text]
                return Proposal(
                    act: PreparedAct(act) { ActRefusal($0) }, button: desk.words.text(.mergeButton, values),
                    done: desk.words.text(.mergeDone, values))
            }
        }
    }
}

/// Gives the user a purchase that nobody has, as `POST …/bind` does.
enum Bind: PersonAct {
    static let path = "bind"
    static let title = Phrase.actBind
    static let hint = Phrase.actBindText

    /// The fields that name the purchase.
    static func fields(of key: PurchaseKey) -> [FormField] {
        [
            FormField(name: "source", kind: .hidden, value: key.source.text),
            FormField(name: "app", kind: .hidden, value: key.app.text),
            FormField(name: "environment", kind: .hidden, value: key.environment.rawValue),
            FormField(name: "id", kind: .hidden, value: key.externalID.text),
        ]
    }

    static func fields(_ desk: Desk) -> [FormField] {
        (PurchasePage.key(in: desk.form).map { fields(of: $0) } ?? []) + [desk.reasonField]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        guard let key = PurchasePage.key(in: desk.form) else { return .failure(ActRefusal(.refusedPurchase)) }
        return desk.reason().map { reason in
            let values = ["id": key.externalID.text, "user": desk.user.text]
            return Proposal(
                act: PreparedAct(desk.principal.bind(key, reason: reason)) { ActRefusal($0) },
                button: desk.words.text(.bindButton, values), done: desk.words.text(.bindDone, values))
        }
    }
}
