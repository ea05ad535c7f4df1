import EntitlementAPI
import Entitlements
import Logging

/// Writes each log message as a line to the standard error stream.
struct LineLogHandler: LogHandler {
    let form: LogForm
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()

    init(form: LogForm, level: Logger.Level) {
        self.form = form
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = event.metadata.map { metadata.isEmpty ? $0 : metadata.merging($0) { _, new in new } } ?? metadata
        let (message, now) = (event.message.description, Surroundings.now())
        switch form {
        case .json: LogStream.standardError.write(Self.object(message, event.level, all, at: now))
        case .text: LogStream.standardError.write(Array(Self.line(message, event.level, all, at: now).utf8))
        }
    }

    /// The line of a message in words, such as `03:21:54 warning: the login cannot be reached (address: https://…)`.
    static func line(
        _ message: String, _ level: Logger.Level, _ metadata: Logger.Metadata, at instant: Instant
    ) -> String {
        let mark = level >= .warning ? "\(level.rawValue): " : ""
        let about = metadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return VisibleText.escaped(time(of: instant) + " \(mark)\(message)" + (about.isEmpty ? "" : " (\(about))"))
    }

    /// The time of day in UTC, to the second.
    static func time(of instant: Instant) -> String { String(RFC3339.text(of: instant).dropFirst(11).prefix(8)) }

    /// The object of a message.
    private static func object(
        _ message: String, _ level: Logger.Level, _ metadata: Logger.Metadata, at instant: Instant
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.name("time")
        json.value(toTheMillisecond: instant)
        json.name("level")
        json.value(level.rawValue)
        json.name("message")
        json.value(message)
        for (key, value) in metadata {
            json.name(key)
            append(value, to: &json)
        }
        json.endObject()
        return json.bytes
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
