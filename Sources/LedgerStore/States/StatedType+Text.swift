import Entitlements

extension StatedType {
    /// The type in the encoding of facts. A type that this program does not know has a question mark before it.
    var text: String {
        switch self {
        case .consumable: "consumable"
        case .addOn: "add_on"
        case .pass: "pass"
        case .plan: "plan"
        case .oneTime: "one_time"
        case .unknown(let word): "?" + word
        }
    }

    init(text: String) {
        switch text {
        case "consumable": self = .consumable
        case "add_on": self = .addOn
        case "pass": self = .pass
        case "plan": self = .plan
        case "one_time": self = .oneTime
        default: self = .unknown(String(text.dropFirst()))
        }
    }
}
