package import Logging
import Synchronization

/// Keeps what is logged, a line each: the level, the message, and the metadata in the order of their names.
package final class TestLog: LogHandler {
    private let kept = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { kept.withLock { $0 } }

    package var logLevel: Logger.Level {
        get { .info }
        set {}
    }
    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package func log(event: LogEvent) {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        keep(([event.level.rawValue, event.message.description] + pairs).joined(separator: " "))
    }

    package func keep(_ line: String) {
        kept.withLock { $0.append(line) }
    }

    /// What was logged since it was last taken.
    package func take() -> [String] {
        kept.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
