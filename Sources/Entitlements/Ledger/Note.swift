/// Who did something and why, in their words.
///
/// A note stands beside its fact and is no part of any answer but the timeline, so that erasing a person can delete it
/// and leave the fact (`semantics.md` §5).
package struct Note: Hashable, Sendable {
    /// A staff account or an API key; nil for the user.
    package let actor: String?
    package let reason: String?
    /// What the actor calls it: a ticket, an order, an outage.
    package let reference: String?

    package init(actor: String?, reason: String? = nil, reference: String? = nil) {
        self.actor = actor
        self.reason = reason
        self.reference = reference
    }
}
