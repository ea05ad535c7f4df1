/// Everything that a decision may read, loaded under locks. The evidence of the request is in it.
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
    /// The ledgers of the users whom the request concerns and of the owners of `purchases`.
    package var ledgers: [UserID: UserLedger]
    package var purchases: [PurchaseKey: KnownPurchase]
    /// The users by the labels that stand for them. The labels are the account tokens in the evidence and in known
    /// states, the legacy tokens of users in the request, and the customer and the token of a delivery. Of a user who
    /// gives everything away all tokens and the mention are among them.
    package let tokenHolders: [Label: UserID]
    /// True if any of the request's evidence was not recorded before.
    package let isEvidenceNew: Bool
    /// The meanings of the numbers in a delivery, and of the numbers to which these lead. The meanings that the
    /// delivery tells itself are among them. The purchases to which the numbers lead are in `purchases`, if they are
    /// known.
    package let numbers: [String: Set<PurchaseNumber>]
    /// The users whom a delivery names, but who were erased and not seen again since.
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

    /// Returns the ledger of `user`; an empty one for a user who was not seen yet.
    package func ledger(of user: UserID) -> UserLedger { ledgers[user] ?? UserLedger(user: user) }

    /// The timeline of `user`.
    package func timeline(of user: UserID, in context: FoldContext) -> Timeline {
        Timeline(folding: ledger(of: user), given: context.catalogue, settings: context.settings)
    }
}

/// The result of a decision: the entries to append, and the answer. The evidence is recorded whatever the answer.
package struct Decision<Reply: Sendable, Refusal: Error>: Sendable {
    /// The purchases that nobody has, each with the user who gets it.
    package let bindings: [PurchaseKey: UserID]
    /// The note of the bindings, if an operator makes them.
    package let bindingNote: Note?
    /// The purchases among `bindings` of which the user proved the Apple account.
    package let proven: Set<PurchaseKey>
    /// The users to whom a purchase is refused although they proved its Apple account; operators see them as conflicts.
    package let contested: [PurchaseKey: UserID]
    /// The purchases that go from one user to another. The entries in both ledgers are made of these.
    package let moves: [PurchaseKey: Move]
    /// Other facts for each user, in order. A grant among them becomes a purchase of the user.
    package let drafts: [UserID: [LedgerEntry.Draft]]
    /// The account tokens that stand for another user from now on.
    package let tokens: [Label: UserID]
    /// The mentions of Apple accounts that are signed out, each with the user for whom it stands if it stands for
    /// nobody yet.
    package let signOuts: [Label: UserID]
    /// The placement of a delivery. It is written whatever the answer.
    package let placement: Placement?
    package let answer: Result<Reply, Refusal>

    package init(
        bindings: [PurchaseKey: UserID] = [:], bindingNote: Note? = nil, proven: Set<PurchaseKey> = [],
        contested: [PurchaseKey: UserID] = [:], moves: [PurchaseKey: Move] = [:],
        drafts: [UserID: [LedgerEntry.Draft]] = [:], tokens: [Label: UserID] = [:], signOuts: [Label: UserID] = [:],
        placement: Placement? = nil, answer: Result<Reply, Refusal>
    ) {
        self.bindings = bindings
        self.bindingNote = bindingNote
        self.proven = proven
        self.contested = contested
        self.moves = moves
        self.drafts = drafts
        self.tokens = tokens
        self.signOuts = signOuts
        self.placement = placement
        self.answer = answer
    }

    /// True if there is nothing to write, because the act is refused or a repeat.
    package var changesNothing: Bool {
        bindings.isEmpty && moves.isEmpty && drafts.isEmpty && tokens.isEmpty && signOuts.isEmpty
            && placement == nil
    }

    /// Returns this decision with another reply.
    package func mapReply<New>(_ transform: (Reply) -> New) -> Decision<New, Refusal> {
        Decision<New, Refusal>(
            bindings: bindings, bindingNote: bindingNote, proven: proven, contested: contested, moves: moves,
            drafts: drafts, tokens: tokens, signOuts: signOuts, placement: placement,
            answer: answer.map(transform))
    }

    /// Returns this decision with another type of refusal.
    package func mapRefusal<New: Error>(_ transform: (Refusal) -> New) -> Decision<Reply, New> {
        Decision<Reply, New>(
            bindings: bindings, bindingNote: bindingNote, proven: proven, contested: contested, moves: moves,
            drafts: drafts, tokens: tokens, signOuts: signOuts, placement: placement,
            answer: answer.mapError(transform))
    }
}
