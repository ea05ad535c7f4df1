import Entitlements

/// The message of an app about a change of plan, in one of the languages of ``PlanChangeWords``.
struct PlanChangeMessage {
    /// BCP 47.
    let language: String
    let text: String

    /// In the best language that there is for who asks, English if none is (`api.md`, "Change of plan").
    init(_ change: PlanChange, in wanted: AcceptLanguage) {
        let texts = PlanChangeWords.table.mapValues { $0.sentence(about: change) }
        let best = wanted.best(of: texts)
        language = best?.tag ?? PlanChangeWords.fallback
        text = best?.text ?? ""
    }
}

extension PlanChangeWords {
    /// The sentence about `change`; if it is not allowed, about the devices to release first.
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
