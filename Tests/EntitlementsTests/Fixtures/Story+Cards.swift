import Entitlements
import Testing

/// What a source that tells by events and bills says of one purchase, and what it comes to.
extension Story {
    /// Of the statements about `key` in the order given and in the reverse one; both must tell the same.
    static func inBothOrders(
        _ statements: [[Statement]], of key: PurchaseKey, given catalogue: CatalogueVersions,
        sourceLocation: SourceLocation
    ) -> Story {
        let told = [statements.flatMap { $0 }, statements.reversed().flatMap { $0 }].map { statements in
            statements.reduce(Story()) { $0.states($1, at: "12-01") }.told(.bound(key), at: "12-01")
        }
        #expect(told[0].covers(given: catalogue) == told[1].covers(given: catalogue), sourceLocation: sourceLocation)
        return told[0]
    }

    /// What covers, then what covers in grace: its tier, of which purchase, from when to when.
    func covers(given catalogue: CatalogueVersions) -> [String] {
        let timeline = timeline(in: catalogue)
        return (timeline.planned + timeline.graces).map { "\($0.segment.tier) \($0.segment.text)" }
    }
}
