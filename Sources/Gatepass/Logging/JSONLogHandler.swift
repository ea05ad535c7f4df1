import EntitlementAPI
import Entitlements
import Logging

/// Writes each log message as a line of JSON to the standard error stream.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.name("time")
        json.value(toTheMillisecond: Surroundings.now())
        json.name("level")
        json.value(event.level.rawValue)
        json.name("message")
        json.value(event.message.description)
        let all = event.metadata.map { metadata.isEmpty ? $0 : metadata.merging($0) { _, new in new } } ?? metadata
        for (key, value) in all {
            json.name(key)
            Self.append(value, to: &json)
        }
        json.endObject()
        LogStream.standardError.write(json.bytes)
    }

    private static func append(_ value: Logger.Metadata.Value, to json: inout JSONWriter) {
        switch value {
        case .stringConvertible(let value as any FixedWidthInteger): json.value(Int(clamping: value))
        case .stringConvertible(let value as Double): json.value(value)
        case .string(let text): json.value(text)
        case .stringConvertible, .array, .dictionary: json.value(value.description)
        }
    }
}
