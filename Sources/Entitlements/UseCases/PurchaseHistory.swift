/// Everything that a decision may know, the evidence that was sent included: loaded under locks, the same for every
/// repeat.
package struct PurchaseHistory: Sendable {
    /// A purchase as this server knows it, with its owner if it has one.
    package struct KnownPurchase: Sendable {
        package var owner: UserID?
        package var states: [VerifiedPurchase]

        package init(owner: UserID? = nil, states: [VerifiedPurchase] = []) {
            self.owner = owner
            self.states = states
        }
    }

    package let now: Instant
    /// The ledgers of the users asked for and of the owners of `purchases`.
    package var ledgers: [UserID: UserLedger]
    package var purchases: [PurchaseKey: KnownPurchase]
    /// The users whom the account tokens in the evidence name, the users asked for by their tokens of the legacy form
    /// among them, those that were issued to the user who gives all that they have, and a delivery's customer.
    package let tokenHolders: [Label: UserID]
    /// True if any of the evidence that was sent is new.
    package let isEvidenceNew: Bool
    /// The meanings of a delivery's numbers, those that it tells itself among them, and of the numbers to which these
    /// lead. The purchases to which they lead are among `purchases` where something is known of them.
    package let numbers: [String: Set<PurchaseNumber>]
    /// The users whom a delivery names and who are erased, and not known again.
    package let erased: Set<UserID>

    package init(
        now: Instant, ledgers: [UserID: UserLedger], purchases: [PurchaseKey: KnownPurchase],
        tokenHolders: [Label: UserID], isEvidenceNew: Bool = false, numbers: [String: Set<PurchaseNumber>] = [:],
        erased: Set<UserID> = []
    ) {
        self.now = now
        self.ledgers = ledgers
        self.purchases = purchases
        self.tokenHolders = tokenHolders
        self.isEvidenceNew = isEvidenceNew
        self.numbers = numbers
        self.erased = erased
    }

    /// The ledger of `user`; empty for one who has not been seen.
    package func ledger(of user: UserID) -> UserLedger { ledgers[user] ?? UserLedger(user: user) }

    /// The timeline of `user`.
    package func timeline(of user: UserID, in context: FoldContext) -> Timeline {
        Timeline(folding: ledger(of: user), given: context.catalogue, settings: context.settings)
    }
}

/// The entries that a decision appends, and its answer; the evidence is kept whatever the answer.
package struct Decision<Reply: Sendable, Refusal: Error>: Sendable {
    /// Purchases that nobody owned and that become a user's.
    package let bindings: [PurchaseKey: UserID]
    /// The note of the bindings, where an operator makes them.
    package let bindingNote: Note?
    /// Purchases that go to another user; both ledgers will say so.
    package let moves: [PurchaseKey: Move]
    /// Other facts, each user's in their order; a grant makes its purchase the user's.
    package let drafts: [UserID: [LedgerEntry.Draft]]
    /// Account tokens that name another user from now on.
    package let tokens: [Label: UserID]
    /// The delivery that it places, written beside the ledgers whatever the answer.
    package let placement: Placement?
    package let answer: Result<Reply, Refusal>

    package init(
        bindings: [PurchaseKey: UserID] = [:], bindingNote: Note? = nil, moves: [PurchaseKey: Move] = [:],
        drafts: [UserID: [LedgerEntry.Draft]] = [:], tokens: [Label: UserID] = [:],
        placement: Placement? = nil, answer: Result<Reply, Refusal>
    ) {
        self.bindings = bindings
        self.bindingNote = bindingNote
        self.moves = moves
        self.drafts = drafts
        self.tokens = tokens
        self.placement = placement
        self.answer = answer
    }

    /// True if nothing is written: the decision refuses, or was recorded before.
    package var changesNothing: Bool {
        bindings.isEmpty && moves.isEmpty && drafts.isEmpty && tokens.isEmpty && placement == nil
    }

    /// This decision with another reply.
    package func mapReply<New>(_ transform: (Reply) -> New) -> Decision<New, Refusal> {
        Decision<New, Refusal>(
            bindings: bindings, bindingNote: bindingNote, moves: moves, drafts: drafts,
            tokens: tokens, placement: placement,
            answer: answer.map(transform))
    }
}
