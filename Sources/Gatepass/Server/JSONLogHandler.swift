import EntitlementAPI
import Entitlements
import Foundation
import Logging

/// One JSON object a line on the standard error stream, written whole so that lines never mix.
///
/// Every request writes a line, so it is put together by hand: an encoder that goes through dictionaries took half of a
/// request's time.
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
        json.value(Self.time(Surroundings.now()))
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
        Self.write(json.bytes + [UInt8(ascii: "\n")])
    }

    /// RFC 3339 in UTC, with milliseconds.
    private static func time(_ instant: Instant) -> String {
        let fraction = String(instant.milliseconds % 1_000 + 1_000).dropFirst()
        return RFC3339.text(of: instant).dropLast() + "." + fraction + "Z"
    }

    private static func append(_ value: Logger.Metadata.Value, to json: inout JSONWriter) {
        switch value {
        case .stringConvertible(let value as any FixedWidthInteger): json.value(Int(clamping: value))
        case .stringConvertible(let value as Double): json.value(value)
        case .string(let text): json.value(text)
        case .stringConvertible, .array, .dictionary: json.value(value.description)
        }
    }

    /// What the stream does not take is lost: a full disk must not stop the server.
    private static func write(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress {
                let count = Foundation.write(STDERR_FILENO, start, rest.count)
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
