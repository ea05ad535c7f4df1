import StoreSimulator

/// What is bought by card.
extension OraclePerson {
    private mutating func account() -> CardAccount {
        CardAccount(pick(CardAccount.Shape.allCases), tag: newID(), isLive: !oneIn(10))
    }

    // MARK: One payment

    mutating func payByCard() {
        let shop = account()
        var number = 0
        for _ in 0..<between(1, 2) {
            let link = pick(["plink_pass", "plink_pass", "plink_week", "plink_ebb", "plink_addon", "plink_coins"])
            let paid = past() / 1_000
            let intent = "pi_" + newID()
            note(intent)
            // Only the first purchase names the user; the customer is known from then on.
            let session = shop.session(
                "payment", user: number == 0 || oneIn(2) ? name : nil, customer: shop.customer, intent: intent,
                with: ["payment_link": .text(link)])
            number += 1
            mention(paid * 1_000, paid * 1_000 + days(30), paid * 1_000 + days(7))
            guard oneIn(4) else {
                tell(shop.event(number, "checkout.session.completed", at: paid, session))
                takeBack(shop, intent, after: paid, &number)
                continue
            }
            let waiting = session.with(["payment_status": "unpaid"])
            tell(shop.event(number, "checkout.session.completed", at: paid - 86_400, waiting))
            number += 1
            tell(shop.event(number, "checkout.session.async_payment_succeeded", at: paid, session))
            takeBack(shop, intent, after: paid, &number)
        }
    }

    /// Refunds in parts and whole, refunds that fail, and disputes, of one payment.
    mutating func takeBack(
        _ shop: CardAccount, _ intent: String, invoice: String? = nil, after paid: Int64, _ number: inout Int
    ) {
        guard oneIn(2) else { return }
        var seconds = paid
        var refunded: Int64 = 0
        for _ in 0..<between(1, 4) {
            seconds += oneIn(8) ? 0 : hours(1, 15 * 24) / 1_000
            guard seconds * 1_000 <= now else { return }
            number += 1
            mention(seconds * 1_000)
            switch between(0, 7) {
            case 0...2:
                refunded = oneIn(3) ? 999 : min(999, refunded + Int64(between(1, 500)))
                let charge = shop.charge(intent, refunded: refunded, invoice: invoice)
                tell(shop.event(number, "charge.refunded", at: seconds, charge))
            case 3:
                let status = pick(["pending", "succeeded", "failed"])
                let type = status == "failed" ? "refund.failed" : "refund.updated"
                tell(shop.event(number, type, at: seconds, shop.refund(intent, status)))
            case 4:
                tell(shop.event(number, "charge.dispute.created", at: seconds, shop.dispute(intent, "needs_response")))
            default:
                let status = pick(["lost", "lost", "won", "prevented", "warning_closed"])
                tell(shop.event(number, "charge.dispute.closed", at: seconds, shop.dispute(intent, status)))
            }
        }
    }

    // MARK: A subscription

    mutating func subscribeByCard() {
        let began = past() / 1_000
        var plan = CardPlan(shop: account(), start: began, end: began + 30 * 86_400, price: pick(CardPlan.prices))
        note(plan.shop.subscription)
        begin(&plan)
        var clock = began
        for _ in 0..<between(0, 9) {
            guard plan.status != "canceled" else { break }
            clock = turn(&plan, after: clock)
        }
    }

    /// The first events, which say whose it is in one of three ways.
    private mutating func begin(_ plan: inout CardPlan) {
        let naming = between(0, 2)
        if naming == 0 { plan.user = name }
        if oneIn(4) {
            plan.status = "trialing"
            plan.end = plan.start + 7 * 86_400
        } else if oneIn(4) {
            plan.status = "incomplete"
            tell(plan.told("customer.subscription.created", at: plan.start))
            plan.status = "active"
        }
        tell(plan.told(pick(["customer.subscription.created", "customer.subscription.updated"]), at: plan.start))
        let session = plan.shop.session(
            "subscription", user: naming == 1 ? name : nil, customer: plan.shop.customer)
        tell(plan.event("checkout.session.completed", at: plan.start, session))
        if naming == 2 {
            let customer: CardJSON = [
                "id": .text(plan.shop.customer), "object": "customer", "metadata": ["user_id": .text(name)],
            ]
            tell(plan.event("customer.updated", at: plan.start, customer))
        }
        mention(plan.start * 1_000, plan.end * 1_000)
        pay(&plan, at: plan.start)
    }

    /// The present period is paid, and perhaps taken back later.
    private mutating func pay(_ plan: inout CardPlan, at seconds: Int64) {
        guard plan.status != "trialing" else { return }
        plan.payments += 1
        let (invoice, intent) = ("in_\(plan.shop.tag)_\(plan.payments)", "pi_\(plan.shop.tag)_\(plan.payments)")
        // Of the old shape an invoice names one payment only.
        let intents = plan.shop.shape == .new && oneIn(2) ? [intent, intent + "_2"] : [intent]
        let paid = plan.shop.invoice(
            invoice, from: plan.start, until: plan.end, intent: intent, price: plan.price, user: plan.user)
        tell(
            plan.event(
                pick(["invoice.paid", "invoice.payment_succeeded"]), at: seconds,
                paid.with(["amount_paid": .number(Int64(intents.count) * CardAccount.amount)])))
        for intent in intents where plan.shop.shape == .new {
            let payment = plan.shop.invoicePayment(invoice, intent: intent)
            tell(plan.event("invoice_payment.paid", at: seconds, payment))
        }
        guard intents.count > 1 || oneIn(3) else { return }
        for intent in intents { takeBack(plan.shop, intent, invoice: invoice, after: seconds, &plan.number) }
    }

    /// The next thing that happens to a subscription; when it did, or `clock` if it lies ahead.
    private mutating func turn(_ plan: inout CardPlan, after clock: Int64) -> Int64 {
        let isDue = plan.isRunning && !oneIn(3)
        // What begins and ends in one second covers nothing, and no document says how that is shown.
        let gap = oneIn(10) && clock > plan.start ? 0 : hours(1, 9 * 24) / 1_000
        let due = min(plan.end, plan.cancelsAt ?? plan.end)
        let seconds = isDue ? max(clock, due) : clock + gap
        guard seconds * 1_000 <= now, isDue || !plan.isRunning || seconds < due else { return clock }
        let updated = "customer.subscription.updated"
        switch (plan.status, between(0, 9)) {
        case ("active", _) where isDue && (plan.stops || due < plan.end),
            ("trialing", _) where isDue && (plan.stops || due < plan.end):
            end(&plan, at: seconds)
        case ("active", 0...5) where isDue, ("trialing", 0...5) where isDue:
            plan.begin("active", from: plan.end, until: plan.end + 30 * 86_400)
            tell(plan.told(updated, at: seconds))
            pay(&plan, at: seconds)
        case ("active", _) where isDue, ("trialing", _) where isDue:
            if oneIn(2) {
                var early = plan
                early.begin("active", from: plan.end, until: plan.end + 30 * 86_400)
                tell(early.told(updated, at: seconds))
                plan.number = early.number
            }
            plan.begin("past_due", from: plan.end, until: plan.end + 30 * 86_400)
            mention((plan.start + 14 * 86_400) * 1_000)
            tell(plan.told(updated, at: min(seconds + 3_600, now / 1_000)))
            return min(seconds + 3_600, now / 1_000)
        case ("active", 0...2), ("trialing", 0...2):
            change(&plan, at: seconds)
        case ("active", 3...4), ("trialing", 3...4):
            if oneIn(3) {
                plan.cancelsAt = plan.cancelsAt == nil ? seconds + Int64(between(1, 40)) * 86_400 : nil
            } else {
                plan.stops.toggle()
            }
            tell(plan.told(updated, at: seconds))
        case ("active", 5...6):
            plan.status = "paused"
            tell(plan.told("customer.subscription.paused", at: seconds))
        case ("active", 7):
            end(&plan, at: seconds)
        case ("active", 8):
            plan.quantity = Int64(between(1, 9))
            tell(plan.told(updated, at: seconds))
        case ("paused", 0...6):
            if seconds >= plan.end || oneIn(2) {
                plan.begin("active", from: seconds, until: seconds + 30 * 86_400)
            } else {
                plan.status = "active"
            }
            tell(plan.told("customer.subscription.resumed", at: seconds))
        case ("past_due", 0...5), ("unpaid", 0...3):
            plan.status = "active"
            tell(plan.told(updated, at: seconds))
            pay(&plan, at: seconds)
        case ("past_due", 6...7):
            plan.status = "unpaid"
            tell(plan.told(updated, at: seconds))
        case ("past_due", _), ("unpaid", _), ("paused", _):
            end(&plan, at: seconds)
        default: return clock
        }
        mention(seconds * 1_000, plan.end * 1_000)
        return seconds
    }

    /// Another price, within the period or with one of its own.
    private mutating func change(_ plan: inout CardPlan, at seconds: Int64) {
        plan.price = pick(CardPlan.prices.filter { $0 != plan.price })
        if oneIn(3) {
            plan.begin("active", from: seconds, until: seconds + 90 * 86_400)
            tell(plan.told("customer.subscription.updated", at: seconds))
            pay(&plan, at: seconds)
        } else {
            tell(plan.told("customer.subscription.updated", at: seconds))
            let proration = plan.shop.invoice(
                "in_\(plan.shop.tag)_p\(plan.number)", from: seconds, until: plan.end, intent: "pi_" + newID(),
                price: plan.price, isProration: true, user: plan.user)
            tell(plan.event("invoice.paid", at: seconds, proration))
        }
    }

    private mutating func end(_ plan: inout CardPlan, at seconds: Int64) {
        plan.status = "canceled"
        let told = oneIn(5) ? min(seconds + 3_600, now / 1_000) : seconds
        tell(plan.told("customer.subscription.deleted", at: told, ended: seconds))
    }
}

/// A subscription by card as it stands.
struct CardPlan {
    static let prices = ["price_pro", "price_basic", "price_flood", "price_unknown"]

    let shop: CardAccount
    var user: String?
    var status = "active"
    var start: Int64
    var end: Int64
    var price: String
    var quantity: Int64 = 1
    /// Whether it ends with its period.
    var stops = false
    /// When it is to end besides.
    var cancelsAt: Int64?
    var payments = 0
    var number = 0

    init(shop: CardAccount, start: Int64, end: Int64, price: String) {
        self.shop = shop
        self.start = start
        self.end = end
        self.price = price
    }

    var isRunning: Bool { status == "active" || status == "trialing" }

    mutating func begin(_ status: String, from start: Int64, until end: Int64) {
        self.status = status
        self.start = start
        self.end = end
    }

    mutating func told(_ type: String, at seconds: Int64, ended: Int64? = nil) -> CardAccount.Event {
        var members: CardJSON = ["cancel_at_period_end": .flag(stops), "cancel_at": CardJSON(cancelsAt)]
        if status == "trialing" {
            members = members.with(["trial_start": .number(start), "trial_end": .number(end)])
        }
        if let ended { members = members.with(["ended_at": .number(ended), "canceled_at": .number(ended)]) }
        let subscription = shop.subscription(
            status, from: start, until: end, price: price, quantity: quantity, user: user, with: members)
        return event(type, at: seconds, subscription)
    }

    mutating func event(_ type: String, at seconds: Int64, _ object: CardJSON) -> CardAccount.Event {
        number += 1
        return shop.event(number, type, at: seconds, object)
    }
}
