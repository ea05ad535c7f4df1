/// A text that names something. Two identifiers are equal only if their UTF-8 bytes are equal.
///
/// Swift's `String ==` also equates canonically equivalent texts, but a binary collation in the database does not.
/// Comparing bytes makes both agree.
package protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    var text: String { get }
}

extension Identifier {
    package static func == (left: Self, right: Self) -> Bool {
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { bytes in right.withUTF8 { bytes.elementsEqual($0) } }
    }

    package static func < (left: Self, right: Self) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { bytes in right.withUTF8 { bytes.lexicographicallyPrecedes($0) } }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    package var description: String { text }
}

/// The id of a product, as the store and the catalogue have it, such as `com.airport.vpn.pass.30d`.
package struct ProductID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// The name of a tier in the catalogue, such as `pro`.
package struct TierID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// The name of a lane in the catalogue. Unless the catalogue names lanes, `main` is the only one (`semantics.md` §2).
package struct LaneID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }

    package static let main = LaneID("main")
}

/// The name of a feature that tiers and add-ons unlock, such as `premium_servers`.
package struct Feature: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// The id of an app: its bundle id.
package struct AppID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// The id that the source gives a purchase: Apple's original transaction id, the id of a card subscription or payment,
/// or the id of a grant.
package struct ExternalID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// The id of a transaction. A restored copy has another id than its original.
package struct TransactionID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}
