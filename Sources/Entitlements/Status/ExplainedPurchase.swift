/// The entitlement of a purchase, with its explanation.
package struct ExplainedPurchase: Hashable, Sendable {
    package let entitlement: Entitlement
    package let explanation: Explanation
}
