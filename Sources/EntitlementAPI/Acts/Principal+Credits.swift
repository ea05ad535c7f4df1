package import Entitlements
package import LedgerStore

/// Credits: spends and reservations.
extension Principal {
    /// Spends the units of `request`, once for its idempotency key.
    package func spend(
        _ request: CreditDraw, reference: String, reason: String?, under labels: Labels
    ) -> LedgerAct<Told<SpendReceipt>, DrawRefusal> {
        let act = draw(request, "spend", [reference, reason], reason: reason, reference: reference, under: labels)
        let audit = audit(
            .spendCredits, reason: reason,
            ["unit": request.purse.unit, "amount": String(request.amount.units), "reference": reference])
        return LedgerAct(for: [user], audit: audit) { history, context in
            act.spend(given: history, in: context.catalogue, under: context.settings).tellingRepeats
        }
    }

    /// Reserves the units of `request` for `time`, once for its idempotency key.
    func reserve(
        _ request: CreditDraw, for time: ReservationTime, as id: ReservationID, reason: String?, under labels: Labels
    ) -> LedgerAct<Told<Reservation>, DrawRefusal> {
        let act = draw(request, "reserve", [String(time.seconds), reason], reason: reason, under: labels)
        let audit = audit(
            .reserveCredits, reason: reason,
            ["reservation_id": id.text, "unit": request.purse.unit, "amount": String(request.amount.units)])
        return LedgerAct(for: [user], audit: audit) { history, context in
            act.reserve(for: time, as: id, given: history, in: context.catalogue, under: context.settings)
                .tellingRepeats
        }
    }

    private func draw(
        _ request: CreditDraw, _ act: String, _ more: [String?], reason: String?, reference: String? = nil,
        under labels: Labels
    ) -> DrawCredits {
        DrawCredits(
            request.amount, from: request.purse, of: user, idempotencyKey: request.key,
            request: request.label(of: act, more, under: labels), note: note(reason: reason, reference: reference))
    }

    /// Spends what is reserved, or `amount` of it.
    func commit(
        _ id: ReservationID, amount: CreditAmount?, reason: String?
    ) -> LedgerAct<SpendReceipt, CommitRefusal> {
        let act = CommitReservation(id, of: user, amount: amount, note: note(reason: reason))
        let audit = audit(.commitReservation, reason: reason, ["reservation_id": id.text])
        return LedgerAct(for: [user], audit: audit) { history, context in
            act.decide(given: history, in: context.catalogue, under: context.settings)
        }
    }

    /// Frees what is reserved.
    func release(_ id: ReservationID, reason: String?) -> LedgerAct<SpendReceipt, ReleaseRefusal> {
        let act = ReleaseReservation(id, of: user, note: note(reason: reason))
        let audit = audit(.releaseReservation, reason: reason, ["reservation_id": id.text])
        return LedgerAct(for: [user], audit: audit) { history, context in
            act.decide(given: history, in: context.catalogue, under: context.settings)
        }
    }
}

/// The units that a spend or a reservation draws, and the label of its idempotency key, which is unique among the keys
/// of the user.
package struct CreditDraw: Sendable {
    let amount: CreditAmount
    let purse: Purse
    let key: Label

    package init(_ amount: CreditAmount, from purse: Purse, key: Label) {
        self.amount = amount
        self.purse = purse
        self.key = key
    }

    /// The label of the whole request, by which a reused idempotency key is noticed. `more` holds the members that only
    /// this act has.
    fileprivate func label(of act: String, _ more: [String?], under labels: Labels) -> Label {
        let asked = [act, purse.unit, purse.environment.rawValue, String(amount.units)] + more.map { $0 ?? "\0" }
        return labels.label(.request, asked.map { "\($0.utf8.count) \($0)" }.joined())
    }
}
