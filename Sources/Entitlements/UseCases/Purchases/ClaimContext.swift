/// The inputs of a claim's judgement beside the history.
package struct ClaimContext: Sendable {
    package let rules: ClaimRules
    package let fold: FoldContext

    package init(rules: ClaimRules, fold: FoldContext) {
        self.rules = rules
        self.fold = fold
    }
}
