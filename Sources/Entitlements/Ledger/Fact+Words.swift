/// The fact in words, as timelines show it.
extension Fact {
    /// The kind of the fact, as the API writes it.
    package var kindText: String {
        switch self {
        case .stated(.purchase): "state"
        case .stated(.renewal): "renewal"
        case .bound: "bound"
        case .granted: "granted"
        case .withdrawn: "withdrawn"
        case .gaveAway: "gave_away"
        case .received: "received"
        case .credit: "credit"
        case .device: "device"
        case .sandboxTester: "sandbox_tester"
        case .consumptionConsent: "consumption_consent"
        }
    }

    /// Returns the fact as an English sentence, without the two times of its entry. `date` writes an instant in the
    /// fact, such as the purchase date. `device` gives the name of a device by its label.
    package func sentence(
        writing date: (Instant) -> String, calling device: (Label) -> String = { $0.text }
    ) -> String {
        switch self {
        case .stated(.purchase(let state)): state.sentence(writing: date)
        case .stated(.renewal(let state)): state.sentence(writing: date)
        case .bound(let key): "\(key.words.capitalized) became the user's."
        case .granted(let grant): "An operator gave \(grant.gift.words(writing: date))."
        case .withdrawn(let key): "An operator took \(key.words) back."
        case .gaveAway(let key, let handover):
            "The rest of \(key.words) went to another user\(handover.measure), \(handover.cause.words)."
        case .received(let key, let handover):
            "The rest of \(key.words) came from another user\(handover.measure), \(handover.cause.words)."
        case .credit(let act): act.sentence
        case .device(let act): "Device \(device(act.device)) was \(act.deed.words)."
        case .sandboxTester(true): "The user was put on the list of sandbox testers."
        case .sandboxTester(false): "The user was taken off the list of sandbox testers."
        case .consumptionConsent(true): "The user allowed to tell Apple about their consumption."
        case .consumptionConsent(false): "The user forbade to tell Apple about their consumption."
        }
    }
}

extension VerifiedPurchase {
    fileprivate func sentence(writing date: (Instant) -> String) -> String {
        if isOfBill, let bill {
            let outcome = bill.isPaid ? "paid" : "not paid"
            return "Bill \(bill.id ?? "without a number") for \(productID) from \(date(purchasedAt)) was shown as "
                + "\(outcome)."
        }
        let count = quantity > 1 && type != .plan ? "\(quantity) × " : ""
        let what = "Transaction \(transactionID) of \(count)\(productID)"
        let shared = isFamilyShared ? ", shared by the family," : ""
        guard let revocation else {
            return "\(what)\(shared) was shown as bought on \(date(purchasedAt)) and not taken back."
        }
        let day = date(revocation.revokedAt)
        guard let share = revocation.share, !revocation.isUnclear else {
            return "\(what)\(shared) was shown as taken back on \(day), how much of it is unclear: it counts as all."
        }
        guard share < Revocation.fullShare else { return "\(what)\(shared) was shown as taken back whole on \(day)." }
        return "\(what)\(shared) was shown as taken back on \(day), \(Revocation.percent(share)) of its price."
    }
}

extension Revocation {
    /// Returns the share in percent, without trailing zeros: 33333 is "33.333 %".
    static func percent(_ share: Int) -> String {
        let (whole, rest) = share.quotientAndRemainder(dividingBy: fullShare / 100)
        guard rest > 0 else { return "\(whole) %" }
        var digits = String(String(1_000 + rest).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits) %"
    }
}

extension VerifiedRenewal {
    fileprivate func sentence(writing date: (Instant) -> String) -> String {
        let course = willRenew ? "renewing" + (renewsInto.map { " as \($0)" } ?? "") : "not renewing"
        let details = [
            isInRetry ? "its payment is tried again" : nil,
            graceEndsAt.map { "it goes on without payment until \(date($0))" },
            end.map(\.words), self.course.map { "it was told as \($0.rawValue)" },
            priceConsent.map(\.words), endedAt.map { "it is over since \(date($0))" },
        ]
        return "\(key.words.capitalized) was shown as "
            + ([course] + details.compactMap { $0 }).joined(separator: "; ") + "."
    }
}

extension RenewalEnd {
    fileprivate var words: String {
        switch self {
        case .cancelled: "it ended because it was cancelled"
        case .billing: "it ended because it could not be paid"
        case .priceIncrease: "it ended because a higher price was not agreed to"
        case .unavailable: "it ended because the product was not for sale any more"
        case .other(let reason): "it ended (\(reason))"
        }
    }
}

extension VerifiedRenewal.PriceConsent {
    fileprivate var words: String {
        switch self {
        case .pending: "a higher price is not agreed to yet"
        case .given: "a higher price is agreed to"
        }
    }
}

extension Grant.Gift {
    fileprivate func words(writing date: (Instant) -> String) -> String {
        switch self {
        case .pass(let tier, let length): "\(Instant.words(ofLength: length)) of \(tier)"
        case .window(let tier, let endsAt): "\(tier) until \(date(endsAt))"
        case .addOn(let product, _): "the add-on \(product)"
        case .credits(let unit, let amount, let expiresAt):
            "\(amount) of \(unit)" + (expiresAt.map { " until \(date($0))" } ?? "")
        }
    }
}

extension PurchaseKey {
    fileprivate var words: String { "\(source == .manual ? "grant" : "purchase") \(externalID)" }
}

extension String {
    /// The text with its first character in upper case.
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}

extension Instant {
    /// Returns the length in days if they are whole; else in hours, rounded down. It is in minutes below an hour, and
    /// up to a day where they are whole and the hours are not. `length` is in milliseconds.
    package static func words(ofLength length: Int64) -> String {
        let (number, unit) =
            if length.isMultiple(of: millisecondsPerDay) {
                (length / millisecondsPerDay, "day")
            } else if length >= millisecondsPerHour, !isShortOfHours(length) {
                (length / millisecondsPerHour, "hour")
            } else {
                (length / 60_000, "minute")
            }
        return "\(number) \(unit)\(number == 1 ? "" : "s")"
    }

    /// True for whole minutes that are no whole hours, up to a day, such as 90 minutes.
    private static func isShortOfHours(_ length: Int64) -> Bool {
        length < millisecondsPerDay && length.isMultiple(of: 60_000) && !length.isMultiple(of: millisecondsPerHour)
    }
}

extension Handover {
    /// The phrase for the units of a lot that moved, or for the time that a pass had run. Empty if no units moved and
    /// the pass ran less than a minute.
    fileprivate var measure: String {
        if units > 0 { return " with \(units) unit\(units == 1 ? "" : "s")" }
        return ran >= 60_000 ? " after it had run for \(Instant.words(ofLength: ran))" : ""
    }
}

extension Handover.Cause {
    fileprivate var words: String {
        switch self {
        case .policy: "because the same Apple account sent it"
        case .operator: "by an operator"
        case .merge: "because a guest's account was merged"
        case .adopt: "because the receiver adopted the Apple account"
        case .reclaim: "because the same Apple account claimed what an erased person had"
        }
    }
}

extension CreditAct {
    fileprivate var sentence: String {
        switch self {
        case .spent(let spend): "\(spend.amount) of \(spend.purse.unit) were spent."
        case .reserved(let reservation):
            "\(reservation.amount) of \(reservation.purse.unit) were reserved as \(reservation.id)."
        case .committed(let id, let amount): "\(amount) of reservation \(id) were spent."
        case .released(let id): "Reservation \(id) was released."
        }
    }
}

extension DeviceAct.Deed {
    fileprivate var words: String {
        switch self {
        case .registered: "registered"
        case .suspended: "suspended by the user"
        case .reactivated: "reactivated"
        case .seen: "seen"
        case .removed: "removed"
        }
    }
}
