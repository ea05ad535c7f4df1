/// A text that names something; two names are one only when their bytes are equal.
///
/// Swift's `String ==` equates canonically equivalent texts, a binary collation in the database does not;
/// comparing UTF-8 keeps both sides agreed.
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

/// A product as the store and the catalogue name it, such as `com.airport.vpn.pass.30d`.
package struct ProductID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// A tier of the catalogue, such as `pro`.
package struct TierID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// A lane of the catalogue; `main` unless it names more (`semantics.md` §2).
package struct LaneID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }

    package static let main = LaneID("main")
}

/// A feature that tiers and add-ons unlock, such as `premium_servers`.
package struct Feature: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// An app by its bundle id.
package struct AppID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// The source's id of a purchase: Apple's original transaction id, a card subscription's id, a grant's id.
package struct ExternalID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// A transaction of a purchase; a restored copy has another id than its original.
package struct TransactionID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}
