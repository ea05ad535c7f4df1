/// A mistake in a catalogue: its place, what is wrong, and what to write instead.
package struct CatalogueDefect: Hashable, Sendable, CustomStringConvertible {
    /// A step of the path to the defect.
    package enum Step: Hashable, Sendable {
        case field(Field)
        case index(Int)
        /// A key that the author of the catalogue chose, such as the name of a limit.
        case name(String)
    }

    /// A key of the catalogue's format; the raw value is what the file writes.
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
        case sandboxDuration = "sandbox_duration"
        case seats
        case stripe
        case tier
        case tiers
        case unit
    }

    /// The path to the defect, from the outermost step to the innermost.
    package let path: [Step]
    package let problem: String
    package let remedy: String

    package init(at path: [Step], _ problem: String, instead remedy: String) {
        self.path = path
        self.problem = problem
        self.remedy = remedy
    }

    /// The path as text, such as `products[3].tier`.
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
