/// The inputs of a claim other than the history.
package struct ClaimContext: Sendable {
    package let rules: ClaimRules
    package let fold: FoldContext

    package init(rules: ClaimRules, fold: FoldContext) {
        self.rules = rules
        self.fold = fold
    }
}
