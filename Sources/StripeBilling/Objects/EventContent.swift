/// The object that an event is about, in the same form for all API versions.
package enum EventContent: Hashable, Sendable {
    /// The reason why an event is ignored.
    package enum Ignored: Hashable, Sendable {
        /// Events of this type change nobody's access.
        case unconcerned
        /// The type is unknown here.
        case unknownType
        /// The event is a thin event: it says what happened but does not contain the object.
        case thin
        /// The object lacks what the event's type needs.
        case unreadable
    }

    case subscription(CardSubscription)
    case checkout(CardCheckout)
    case invoice(CardInvoice)
    case invoicePayment(CardInvoicePayment)
    case charge(CardCharge)
    case refund(CardRefund)
    case dispute(CardDispute)
    case customer(CardCustomer)
    case ignored(Ignored)

    init(of type: String, about object: CardObject?) {
        guard let read = Self.readers[type] else {
            self = .ignored(.unknownType)
            return
        }
        self = object.flatMap(read) ?? .ignored(.unreadable)
    }

    private static let readers: [String: @Sendable (CardObject) -> EventContent?] = {
        var readers: [String: @Sendable (CardObject) -> EventContent?] = [:]
        for name in [
            "created", "updated", "deleted", "paused", "resumed", "trial_will_end", "pending_update_applied",
            "pending_update_expired",
        ] {
            readers["customer.subscription." + name] = { CardSubscription($0).map(EventContent.subscription) }
        }
        for name in ["completed", "async_payment_succeeded"] {
            readers["checkout.session." + name] = { CardCheckout($0).map(EventContent.checkout) }
        }
        for name in [
            "created", "finalized", "paid", "payment_succeeded", "payment_failed", "payment_action_required", "updated",
        ] {
            // An invoice without a subscription bills something else.
            readers["invoice." + name] = { CardInvoice($0).map(EventContent.invoice) ?? .ignored(.unconcerned) }
        }
        readers["invoice_payment.paid"] = { CardInvoicePayment($0).map(EventContent.invoicePayment) }
        readers["charge.refunded"] = { charge in
            charge.isOfNothingSold ? .ignored(.unconcerned) : CardCharge(charge).map(EventContent.charge)
        }
        for name in ["refund.created", "refund.updated", "refund.failed", "charge.refund.updated"] {
            readers[name] = { CardRefund($0).map(EventContent.refund) }
        }
        for name in ["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"] {
            readers["charge.dispute." + name] = { CardDispute($0).map(EventContent.dispute) }
        }
        for name in ["created", "updated"] {
            readers["customer." + name] = { CardCustomer($0).map(EventContent.customer) }
        }
        for name in [
            "checkout.session.expired", "checkout.session.async_payment_failed", "customer.deleted", "charge.succeeded",
            "charge.updated", "charge.failed", "payment_intent.created", "payment_intent.succeeded",
            "payment_intent.payment_failed", "entitlements.active_entitlement_summary.updated",
        ] {
            readers[name] = { _ in .ignored(.unconcerned) }
        }
        return readers
    }()
}
