extension PlanChange {
    /// What the app may show, in English.
    package var message: String {
        guard isAllowed else {
            return """
                You have \(activeDevices) active \(activeDevices == 1 ? "device" : "devices"). To change to \
                \(Self.devices(targetDevices)), first suspend or remove \(Self.devices(devicesToRelease.count)).
                """
        }
        return switch action {
        case .subscribe: "Subscribe to use up to \(Self.devices(targetDevices))."
        case .current: "You can already use \(Self.devices(currentDevices))."
        case .upgrade, .downgrade: "You could use \(Self.devices(targetDevices)) instead of \(currentDevices)."
        }
    }

    private static func devices(_ count: Int) -> String {
        count == 1 ? "1 device" : "\(count) devices"
    }
}
