import Testing

@testable import Entitlements

/// What is called otherwise keeps its place among its like (`semantics.md` §2).
@Suite struct PurchasePlaceTests {
    private static func key(_ id: String, place: String? = nil, source: Source = .appleIAP) -> PurchaseKey {
        PurchaseKey(
            source: source, app: AppID("a"), environment: .production, externalID: ExternalID(id),
            place: place.map { ExternalID($0) })
    }

    @Test func `the place decides, else the id, else the rest of the key`() {
        let ordered = [
            Self.key("1"), Self.key("2"), Self.key("2", source: .manual), Self.key("z"), Self.key("9", place: "~1"),
            Self.key("0", place: "~2"),
        ]
        for (position, key) in ordered.enumerated() {
            for (other, otherKey) in ordered.enumerated() { #expect(key.precedes(otherKey) == (position < other)) }
        }
    }

    @Test func `the place is no part of the identity`() {
        #expect(Self.key("1", place: "~1") == Self.key("1"))
        #expect(Set([Self.key("1", place: "~1"), Self.key("1")]).count == 1)
        #expect(!(Self.key("1", place: "~1") < Self.key("1")) && !(Self.key("1") < Self.key("1", place: "~1")))
    }
}
