/// A mistake in a catalogue: where it stands, what is wrong, and what to write instead.
package struct CatalogueDefect: Hashable, Sendable, CustomStringConvertible {
    /// A step of a path; the raw value of a field is the key that the catalogue file writes.
    package enum Step: Hashable, Sendable {
        case field(Field)
        case index(Int)
        /// A key that the catalogue's author chose, such as a limit's.
        case name(String)
    }

    /// A key that the format names.
    package enum Field: String, Hashable, Sendable {
        case amount
        case app
        case appAppleID = "app_apple_id"
        case apps
        case bundleID = "bundle_id"
        case currency
        case defaultTier = "default_tier"
        case devices
        case duration
        case features
        case id
        case lane
        case lanes
        case limits
        case planID = "plan_id"
        case price
        case products
        case rank
        case requires
        case seats
        case stripe
        case tier
        case tiers
        case unit
    }

    /// The place of the defect, such as `products[3].tier`, from the outside in.
    package let path: [Step]
    package let problem: String
    package let remedy: String

    package init(at path: [Step], _ problem: String, instead remedy: String) {
        self.path = path
        self.problem = problem
        self.remedy = remedy
    }

    /// The path as people write it.
    package var location: String {
        path.reduce(into: "") { text, step in
            switch step {
            case .field(let field): text += (text.isEmpty ? "" : ".") + field.rawValue
            case .index(let index): text += "[\(index)]"
            case .name(let name): text += (text.isEmpty ? "" : ".") + name
            }
        }
    }

    package var description: String { "\(location): \(problem); \(remedy)" }
}
