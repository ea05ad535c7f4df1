/// A sale of the simulated card account: one payment, or a subscription.
///
/// A value without a clock or randomness. Each act changes the sale and gives the events that the account would send,
/// in order. Instants are seconds since the epoch. An act of the subscription that its phase does not allow throws
/// ``Refusal`` and changes nothing.
package struct SimulatedCardSale: Codable, Hashable, Sendable {
    /// The phase of the sale. Except for `payment`, the raw value is the status of a subscription at Stripe.
    package enum Phase: String, Codable, Hashable, Sendable {
        /// A single payment, not a subscription.
        case payment
        case trialing
        case active
        case pastDue = "past_due"
        case paused
        case canceled
    }

    /// The state of a dispute.
    package enum Dispute: String, Hashable, Sendable, CaseIterable {
        case opened
        case won
        case lost
    }

    /// The reason why an act is not possible.
    package enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case noSubscription
        case phase(Phase)
        /// Nothing was charged for the present period, so nothing can go back.
        case unpaid

        package var description: String {
            switch self {
            case .noSubscription: "it is one payment and no subscription"
            case .phase(let phase): "the subscription is \(phase.rawValue)"
            case .unpaid: "nothing was paid for the present period"
            }
        }
    }

    package let account: CardAccount
    package let user: String
    /// False if the account's objects do not name the user, as after a payment link without a `client_reference_id`.
    private let isNamed: Bool
    /// The price id of a subscription, or the payment link of a single payment.
    package let name: String
    package private(set) var phase: Phase
    package private(set) var startsAt: Int64
    package private(set) var endsAt: Int64
    package private(set) var renews = true
    /// The sum of all payments, in the smallest unit of the currency.
    package private(set) var income: Int64 = 0
    /// The sum of all refunds, in the smallest unit of the currency.
    package private(set) var returned: Int64 = 0
    private var payments = 1
    private var captured: Int64 = 0
    private var refunded: Int64 = 0
    private var told = 0

    // MARK: Buying

    /// Buys something with one payment by the payment link `link`.
    package static func pay(
        _ link: String, by user: String, isNamed: Bool = true, at seconds: Int64, to account: CardAccount
    ) -> (sale: SimulatedCardSale, events: [CardAccount.Event]) {
        var sale = SimulatedCardSale(account, user, isNamed, link, .payment, from: seconds, until: seconds)
        let session = account.session(
            "payment", user: sale.namedUser, intent: sale.intent, with: ["payment_link": .text(link)])
        (sale.income, sale.captured) = (account.price, account.price)
        return (sale, [sale.event("checkout.session.completed", at: seconds, session)])
    }

    /// Begins a subscription whose first period ends at `end`. If `isTrial`, that period is a trial.
    package static func subscribe(
        to price: String, by user: String, isNamed: Bool = true, until end: Int64, isTrial: Bool, at seconds: Int64,
        of account: CardAccount
    ) -> (sale: SimulatedCardSale, events: [CardAccount.Event]) {
        var sale = SimulatedCardSale(
            account, user, isNamed, price, isTrial ? .trialing : .active, from: seconds, until: end)
        let session = account.session(
            "subscription", user: sale.namedUser, customer: account.customer,
            with: isTrial ? ["amount_total": 0, "payment_status": "no_payment_required"] : [:])
        let events =
            [
                sale.event("checkout.session.completed", at: seconds, session),
                sale.event("customer.subscription.created", at: seconds, sale.subscription),
            ] + sale.paid(at: seconds)
        return (sale, events)
    }

    private init(
        _ account: CardAccount, _ user: String, _ isNamed: Bool, _ name: String, _ phase: Phase, from start: Int64,
        until end: Int64
    ) {
        self.account = account
        self.user = user
        self.isNamed = isNamed
        self.name = name
        self.phase = phase
        startsAt = start
        endsAt = end
    }

    // MARK: The subscription

    /// Begins the next period, which is paid.
    package mutating func renew(until end: Int64, at seconds: Int64) throws(Refusal) -> [CardAccount.Event] {
        try require(.active, .trialing)
        begin(.active, from: endsAt, until: end)
        return [updated(at: seconds)] + paid(at: seconds)
    }

    /// Begins the next period, whose charge fails.
    package mutating func fail(until end: Int64, at seconds: Int64) throws(Refusal) -> [CardAccount.Event] {
        try require(.active, .trialing)
        begin(.pastDue, from: endsAt, until: end)
        let failed = account.invoice(
            invoice, from: startsAt, until: endsAt, intent: intent, price: name, isPaid: false)
        return [updated(at: seconds), event("invoice.payment_failed", at: seconds, failed)]
    }

    /// Pays the period whose charge failed.
    package mutating func recover(at seconds: Int64) throws(Refusal) -> [CardAccount.Event] {
        try require(.pastDue)
        phase = .active
        return [updated(at: seconds)] + paid(at: seconds)
    }

    /// Cancels the subscription: at once, or else at the end of its period.
    package mutating func cancel(atOnce: Bool, at seconds: Int64) throws(Refusal) -> [CardAccount.Event] {
        try require(.active, .trialing, .pastDue, .paused)
        renews = false
        guard atOnce else { return [updated(at: seconds)] }
        phase = .canceled
        let ended: CardJSON = ["ended_at": .number(seconds), "canceled_at": .number(seconds)]
        return [event("customer.subscription.deleted", at: seconds, subscription.with(ended))]
    }

    /// Pauses the subscription until it is resumed.
    package mutating func pause(at seconds: Int64) throws(Refusal) -> [CardAccount.Event] {
        try require(.active, .trialing)
        phase = .paused
        return [event("customer.subscription.paused", at: seconds, subscription)]
    }

    /// Resumes the paused subscription with a new period from now on, which is paid.
    package mutating func resume(until end: Int64, at seconds: Int64) throws(Refusal) -> [CardAccount.Event] {
        try require(.paused)
        begin(.active, from: seconds, until: end)
        return [event("customer.subscription.resumed", at: seconds, subscription)] + paid(at: seconds)
    }

    // MARK: The money

    /// Refunds the last payment, so that `percent` of it are refunded in all.
    package mutating func refund(percent: Int64, at seconds: Int64) throws(Refusal) -> [CardAccount.Event] {
        guard captured > 0 else { throw .unpaid }
        let before = refunded
        refunded = max(refunded, (captured * percent + 50) / 100)
        returned += refunded - before
        return [
            event(
                "charge.refunded", at: seconds,
                account.charge(intent, refunded: refunded, invoice: phase == .payment ? nil : invoice))
        ]
    }

    /// Opens a dispute of the last payment, or closes it as won or lost.
    package mutating func dispute(_ dispute: Dispute, at seconds: Int64) -> [CardAccount.Event] {
        let (type, status) =
            switch dispute {
            case .opened: ("charge.dispute.created", "needs_response")
            case .won: ("charge.dispute.closed", "won")
            case .lost: ("charge.dispute.closed", "lost")
            }
        return [event(type, at: seconds, account.dispute(intent, status))]
    }

    // MARK: The objects and events

    private var namedUser: String? { isNamed ? user : nil }
    private var intent: String { "pi_\(account.tag)_\(payments)" }
    private var invoice: String { "in_\(account.tag)_\(payments)" }

    private var subscription: CardJSON {
        let trial: CardJSON = ["trial_start": .number(startsAt), "trial_end": .number(endsAt)]
        return account.subscription(
            phase.rawValue, from: startsAt, until: endsAt, price: name, user: namedUser,
            with: (phase == .trialing ? trial : [:]).with([
                "cancel_at_period_end": .flag(!renews), "latest_invoice": .text(invoice),
            ]))
    }

    private func require(_ phases: Phase...) throws(Refusal) {
        guard phase != .payment else { throw .noSubscription }
        guard phases.contains(phase) else { throw .phase(phase) }
    }

    private mutating func begin(_ phase: Phase, from start: Int64, until end: Int64) {
        self.phase = phase
        startsAt = start
        endsAt = end
        payments += 1
        (captured, refunded) = (0, 0)
    }

    private mutating func updated(at seconds: Int64) -> CardAccount.Event {
        event("customer.subscription.updated", at: seconds, subscription)
    }

    /// Pays the invoice of the present period. That of a trial is paid with nothing.
    private mutating func paid(at seconds: Int64) -> [CardAccount.Event] {
        let amount = phase == .trialing ? 0 : account.price
        income += amount
        captured = amount
        let invoiced = event(
            "invoice.paid", at: seconds,
            account.invoice(
                invoice, from: startsAt, until: endsAt, intent: intent, price: name, paid: amount, user: namedUser))
        guard account.shape == .new else { return [invoiced] }
        return [
            invoiced, event("invoice_payment.paid", at: seconds, account.invoicePayment(invoice, intent: intent)),
        ]
    }

    private mutating func event(_ type: String, at seconds: Int64, _ object: CardJSON) -> CardAccount.Event {
        told += 1
        return account.event(told, type, at: seconds, object)
    }
}
