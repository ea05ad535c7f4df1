import Entitlements

/// Translates events of Stripe into statements and names in this server's terms (`semantics.md` §7).
extension CardNews {
    /// - Parameters:
    ///   - userKey: The key in Stripe's `metadata` whose value is the user id.
    ///   - graceDays: The days of grace for an unpaid period, from its start.
    package init(_ event: VerifiedEvent, userKey: String, graceDays: Int) {
        self.init(in: event.environment)
        customer = event.customer
        switch event.content {
        case .subscription(let subscription):
            about = PurchaseKey(subscription.id, in: environment)
            users = [subscription.metadata[userKey]].compactMap { $0 }
            statements = subscription.statements(in: event, graceDays: graceDays)
        case .checkout(let checkout):
            users = [checkout.clientReferenceID, checkout.metadata[userKey]].compactMap { $0 }
            tell(checkout, in: event)
        case .invoice(let invoice):
            about = PurchaseKey(invoice.subscription, in: environment)
            users = [invoice.metadata[userKey]].compactMap { $0 }
            statements = invoice.statements(in: event)
            numbers =
                (invoice.isPaid == true ? invoice.lines : []).map { line in
                    let paid = line.period.map { TransactionID($0.id) } ?? invoice.bill(for: line)
                    return PurchaseNumber(invoice.id, meaning: paid, of: ExternalID(invoice.subscription))
                } + invoice.paidBy.map { PurchaseNumber($0, meaning: invoice.id) }
        case .invoicePayment(let payment):
            numbers = payment.paidBy.map { PurchaseNumber($0, meaning: payment.invoice) }
        case .charge(let charge):
            if let intent = charge.paymentIntent { numbers = [PurchaseNumber(charge.id, meaning: intent)] }
            if let invoice = charge.invoice { numbers.append(PurchaseNumber(charge.id, meaning: invoice)) }
            let revocation = Revocation(
                revokedAt: event.createdAt, share: charge.refundedShare, payment: charge.captured)
            takeback = Takeback(
                numbers: [charge.paymentIntent, charge.invoice, charge.id].compactMap { $0 },
                id: TransactionID(charge.id), revocation: charge.refundedShare > 0 ? revocation : nil,
                signedAt: event.createdAt, eventID: event.id)
        case .refund(let refund):
            // The total refunded amount comes with the charge's own event.
            remark = refund.hasFailed ? .refundFailed : .unconcerned
        case .dispute(let dispute):
            tell(dispute, in: event)
        case .customer(let customer):
            users = [customer.metadata[userKey]].compactMap { $0 }
        case .ignored(let reason):
            remark = Remark(reason)
        }
    }

    /// Reads a checkout session. A session of one payment is the purchase itself, as soon as it is paid. A session of a
    /// subscription only says whose the subscription is.
    private mutating func tell(_ checkout: CardCheckout, in event: VerifiedEvent) {
        switch checkout.mode {
        case .payment:
            let number = checkout.paymentIntent ?? checkout.id
            let key = PurchaseKey(number, in: environment)
            about = key
            if number != checkout.id { numbers = [PurchaseNumber(checkout.id, meaning: number)] }
            guard checkout.isPaid else {
                remark = .unpaid
                return
            }
            let names = [checkout.paymentLink, checkout.metadata["plan_id"]].compactMap { $0 }.map { ProductID($0) }
            statements = [
                .purchase(
                    VerifiedPurchase(
                        key: key, transactionID: TransactionID(number), isOriginal: true,
                        productID: names.first ?? ProductID(number), otherNames: Array(names.dropFirst()),
                        type: .oneTime, purchasedAt: event.createdAt, signedAt: event.createdAt, eventID: event.id))
            ]
        case .subscription: about = checkout.subscription.map { PurchaseKey($0, in: environment) }
        case .setup: remark = .unconcerned
        }
    }

    /// Reads a dispute. A lost dispute takes back the whole payment, also where several payments paid for the purchase;
    /// a won one gives it back. An open dispute changes nothing. It is kept under its event's id instead of the
    /// dispute's, so that an appeal against a loss does not undo the loss.
    private mutating func tell(_ dispute: CardDispute, in event: VerifiedEvent) {
        let revocation: Revocation? =
            switch dispute.outcome {
            case .open, .won: nil
            case .lost: Revocation(revokedAt: event.createdAt, share: Revocation.fullShare)
            }
        if dispute.outcome == .open { remark = .disputed }
        takeback = Takeback(
            numbers: [dispute.paymentIntent, dispute.charge].compactMap { $0 },
            id: TransactionID(dispute.outcome == .open ? event.id : dispute.id), revocation: revocation,
            signedAt: event.createdAt, eventID: event.id)
    }
}

extension CardSubscription {
    /// A statement for each present period, and one for the renewal. An incomplete subscription gives none, because it
    /// has not begun, and a subscription never becomes incomplete again.
    fileprivate func statements(in event: VerifiedEvent, graceDays: Int) -> [Statement] {
        let key = PurchaseKey(id, in: event.environment)
        if status == .incomplete { return [] }
        return items.compactMap { state(of: $0, key, in: event, graceDays: graceDays).map(Statement.purchase) }
            + [.renewal(renewal(of: key, in: event))]
    }

    private func state(
        of item: Item, _ key: PurchaseKey, in event: VerifiedEvent, graceDays: Int
    ) -> VerifiedPurchase? {
        var bill: Bill?
        let graceEnd = item.startsAt + Int64(max(0, graceDays)) * Instant.millisecondsPerDay
        switch status {
        case .trialing, .active, .paused: break
        case .pastDue: bill = Bill(latestInvoice, isPaid: false, graceEndsAt: graceEnd)
        case .unpaid: bill = Bill(latestInvoice, isPaid: false, graceEndsAt: min(graceEnd, event.createdAt))
        case .incomplete, .incompleteExpired, .canceled, .unknown: return nil
        }
        let isTrial = trialEndsAt.map { item.startsAt < $0 } ?? false
        let names = ([item.lookupKey].compactMap { $0 } + item.planIDs).map { ProductID($0) }
        return VerifiedPurchase(
            key: key, transactionID: TransactionID(item.period.id), isOriginal: true, periodID: item.period.id,
            productID: ProductID(item.price), otherNames: names, type: .plan, purchasedAt: item.startsAt,
            originallyPurchasedAt: startedAt, expiresAt: max(item.startsAt, min(item.endsAt, cancelsAt ?? item.endsAt)),
            quantity: max(0, item.quantity), offer: isTrial ? "trial" : nil,
            suspension: status == .paused ? Suspension(startsAt: event.createdAt, endsAt: nil) : nil,
            price: isTrial ? item.currency.map { Price(milliunits: 0, currency: $0.uppercased()) } : nil,
            signedAt: event.createdAt, eventID: event.id, item: item.id, bill: bill)
    }

    private func renewal(of key: PurchaseKey, in event: VerifiedEvent) -> VerifiedRenewal {
        let lastEnd = items.map(\.endsAt).max() ?? .distantPast
        let isOver = status == .canceled || status == .incompleteExpired
        let mayRenew =
            switch status {
            case .trialing, .active, .pastDue: !cancelsAtPeriodEnd && cancelsAt.map { $0 > lastEnd } ?? true
            case .incomplete, .incompleteExpired, .canceled, .unpaid, .paused, .unknown: false
            }
        return VerifiedRenewal(
            key: key, signedAt: event.createdAt, willRenew: mayRenew, isInRetry: status == .pastDue,
            end: isOver ? end : nil, endedAt: isOver ? endedAt ?? event.createdAt : nil, eventID: event.id)
    }

    private var end: RenewalEnd {
        switch cancellationReason {
        case nil where status == .incompleteExpired: .billing
        case "payment_failed", "payment_disputed": .billing
        case nil, "cancellation_requested": .cancelled
        case let reason?: .other(reason)
        }
    }
}

extension CardInvoice {
    /// A statement for each line of the invoice. It states a bill, not a period.
    fileprivate func statements(in event: VerifiedEvent) -> [Statement] {
        guard let isPaid else { return [] }
        let key = PurchaseKey(subscription, in: event.environment)
        return lines.map { line in
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: bill(for: line), isOriginal: false, productID: ProductID(line.price),
                    type: .plan, purchasedAt: line.startsAt, signedAt: event.createdAt, item: line.item,
                    bill: Bill(id, isPaid: isPaid, amountPaid: isPaid ? amountPaid : nil)))
        }
    }

    /// The transaction id of the bill for a line.
    fileprivate func bill(for line: Line) -> TransactionID {
        let name = line.period?.id ?? "\(line.startsAt.milliseconds / 1_000):\(line.price)"
        return TransactionID("\(id):\(name)")
    }
}

extension CardNews.Remark {
    fileprivate init(_ reason: EventContent.Ignored) {
        self =
            switch reason {
            case .unconcerned: .unconcerned
            case .unknownType: .unknownType
            case .thin: .thin
            case .unreadable: .unreadable
            }
    }
}

extension PurchaseKey {
    /// The key of a purchase from the Stripe id of its payment or subscription.
    fileprivate convenience init(_ number: String, in environment: StoreEnvironment) {
        self.init(source: .stripe, app: .cards, environment: environment, externalID: ExternalID(number))
    }
}
