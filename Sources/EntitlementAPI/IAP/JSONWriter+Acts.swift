import Entitlements

extension JSONWriter {
    /// Writes the member `acts`: facts about no purchase, such as spends and changes of devices.
    mutating func member(acts: [ExplainedFact], _ devices: DeviceNames) {
        name("acts")
        array(acts) { $0.append($1, devices) }
    }

    private mutating func append(_ act: ExplainedFact, _ devices: DeviceNames) {
        beginObject()
        member("kind", act.entry.fact.kindText)
        member("text", act.entry.fact.sentence(writing: RFC3339.text(of:), calling: devices.name))
        member("recorded_at", exactly: "recorded_at_ms", act.entry.recordedAt)
        member("starts_at", exactly: "starts_at_ms", act.holds.startsAt)
        member("ends_at", exactly: "ends_at_ms", act.holds.endsAt)
        member("reason", act.reason?.rawValue)
        member("unit", act.purse?.unit)
        member("environment", act.purse?.environment.rawValue)
        member("device_id", act.device.map(devices.name))
        name("lots")
        array(act.draws) { json, draw in
            json.beginObject()
            json.member("source", draw.lot.source.text)
            json.member("external_id", draw.lot.externalID.text)
            json.member("amount", draw.amount)
            json.endObject()
        }
        endObject()
    }
}
