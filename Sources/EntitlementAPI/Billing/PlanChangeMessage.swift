import Entitlements

/// The sentence about a change of plan that an app shows to its user, in one of the languages of ``PlanChangeWords``.
struct PlanChangeMessage {
    /// The BCP 47 tag of the language.
    let language: String
    let text: String

    /// Picks the language that suits `wanted` best, English if none does (`api.md`, "Change of plan").
    init(_ change: PlanChange, in wanted: AcceptLanguage) {
        let texts = PlanChangeWords.table.mapValues { $0.sentence(about: change) }
        let best = wanted.best(of: texts)
        language = best?.tag ?? PlanChangeWords.fallback
        text = best?.text ?? ""
    }
}

extension PlanChangeWords {
    /// The sentence about `change`. If the change is not allowed, the sentence says how many devices must be released
    /// first.
    fileprivate func sentence(about change: PlanChange) -> String {
        let (current, target) = (devices(change.currentDevices), devices(change.targetDevices))
        guard change.isAllowed else {
            return release(activeDevices(change.activeDevices), target, devices(change.devicesToRelease.count))
        }
        return switch change.action {
        case .subscribe: subscribe(target)
        case .current: already(current)
        case .upgrade, .downgrade: instead(target, change.currentDevices)
        }
    }
}
