import EntitlementAPI
import Entitlements
import LedgerStore

/// Puts the user on the list of sandbox testers.
enum NameTester: PersonAct {
    static let path = "name-tester"
    static let title = Phrase.actNameTester
    static let hint = Phrase.actNameTesterText

    static func fields(_ desk: Desk) -> [FormField] { [desk.reasonField] }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        testing(true, desk, button: .actNameTester, done: .nameTesterDone)
    }
}

/// Takes the user off the list of sandbox testers.
enum UnnameTester: PersonAct {
    static let path = "unname-tester"
    static let title = Phrase.actUnnameTester
    static let hint = Phrase.actUnnameTesterText
    static let isTaking = true

    static func fields(_ desk: Desk) -> [FormField] { [desk.reasonField] }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        testing(false, desk, button: .actUnnameTester, done: .unnameTesterDone)
    }
}

private func testing(
    _ isTester: Bool, _ desk: Desk, button: Phrase, done: Phrase
) -> Result<Proposal, ActRefusal> {
    desk.reason().map { reason in
        Proposal(
            act: PreparedAct(desk.principal.nameSandboxTester(isTester, reason: reason)) { ActRefusal($0) },
            button: desk.words.text(button), done: desk.words.text(done))
    }
}

/// Signs out the Apple accounts that stand for the user, as `POST …/sign-out` does.
enum SignOutUser: PersonAct {
    static let path = "sign-out"
    static let title = Phrase.actSignOut
    static let hint = Phrase.actSignOutText
    static let isTaking = true

    static func fields(_ desk: Desk) -> [FormField] { [desk.reasonField] }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        desk.reason().map { reason in
            Proposal(
                act: PreparedAct(desk.principal.signOut(reason: reason, under: desk.labels)) { ActRefusal($0) },
                button: desk.words.text(.actSignOut), done: desk.words.text(.signOutDone))
        }
    }
}

/// Removes a device from the record, so that its seat is free at once.
enum RemoveDevice: PersonAct {
    static let path = "remove-device"
    static let title = Phrase.actRemoveDevice
    static let hint = Phrase.actRemoveDeviceText
    static let isTaking = true

    static func fields(_ desk: Desk) -> [FormField] {
        let options = desk.devices.map { FormField.Option(value: $0.id.text, label: $0.name) }
        return [
            FormField(
                name: "device", kind: .list(options), label: desk.words.text(.fieldDevice),
                value: desk.form.exact("device")),
            desk.reasonField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        guard let id = DeviceID(desk.form.exact("device")) else {
            return .failure(ActRefusal(.refusedDevice, field: "device"))
        }
        return desk.reason().map { reason in
            let act = desk.principal.changeDevice(.remove, of: id, reason: reason, under: desk.labels)
            let values = ["name": desk.devices.first { $0.id == id }?.name ?? id.text]
            return Proposal(
                act: PreparedAct(act) { ActRefusal($0) }, button: desk.words.text(.removeDeviceButton, values),
                done: desk.words.text(.removeDeviceDone, values))
        }
    }
}

/// Takes credits, as a spend.
enum SpendCredits: PersonAct {
    static let path = "take-credits"
    static let title = Phrase.actSpendCredits
    static let hint = Phrase.actSpendCreditsText
    static let isTaking = true

    private static func name(_ balance: CreditBalance) -> String {
        balance.environment.rawValue + " " + balance.unit
    }

    static func fields(_ desk: Desk) -> [FormField] {
        let balances = desk.timeline.creditBalances(at: desk.visit.now)
        let options = balances.map { balance in
            let sandbox = balance.environment == .sandbox ? " [" + desk.words.text(.sandbox) + "]" : ""
            return FormField.Option(
                value: name(balance),
                label: balance.unit + sandbox + " · " + desk.words.number(balance.spendable) + " "
                    + desk.words.text(.left))
        }
        return [
            FormField(
                name: "unit", kind: .list(options), label: desk.words.text(.fieldUnit),
                value: desk.form.exact("unit")),
            FormField(
                name: "amount", kind: .number, label: desk.words.text(.fieldAmount), value: desk.form["amount"]),
            desk.reasonField, desk.referenceField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        let text = desk.form.exact("unit")
        let balance = desk.timeline.creditBalances(at: desk.visit.now).first { name($0) == text }
        guard let balance else { return .failure(ActRefusal(.refusedUnit, field: "unit")) }
        return desk.number("amount", in: CreditAmount.range, orElse: .amountHint).flatMap { number in
            guard let amount = CreditAmount(number) else { return .failure(ActRefusal(.refusedCredits)) }
            return desk.reason().flatMap { reason in
                desk.reference().map { reference in
                    let key = desk.label(.idempotencyKey, of: path, text, String(number), reason, reference)
                    let draw = CreditDraw(
                        amount, from: Purse(unit: balance.unit, environment: balance.environment), key: key)
                    let act = desk.principal.spend(
                        draw, reference: reference, reason: reason, under: desk.labels)
                    let values = ["n": desk.words.number(number), "unit": balance.unit]
                    return Proposal(
                        act: PreparedAct(act) { ActRefusal($0) },
                        button: desk.words.text(.spendCreditsButton, values),
                        done: desk.words.text(.spendCreditsDone, values))
                }
            }
        }
    }
}
