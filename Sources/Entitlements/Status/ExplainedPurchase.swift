/// A purchase as a status has it, and why.
package struct ExplainedPurchase: Hashable, Sendable {
    package let entitlement: Entitlement
    package let explanation: Explanation
}
