import EntitlementAPI
import Entitlements
import Foundation
import Logging

/// The form of log lines on the standard error stream.
enum LogForm: Sendable {
    /// A JSON object a line, for programs.
    case json
    /// A sentence a line, for people at a terminal.
    case words

    /// The form for people if the standard error stream is a terminal, else the one for programs.
    static var ofStandardError: LogForm { isatty(STDERR_FILENO) == 1 ? .words : .json }

    /// The handler of log messages in this form.
    func handler() -> any LogHandler {
        switch self {
        case .json: JSONLogHandler()
        case .words: WordsLogHandler()
        }
    }
}

/// Writes each log message as a line of words to the standard error stream: the time, the message and what it is about.
struct WordsLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let line = Self.line(event.message.description, event.level, all, at: Surroundings.now())
        LogStream.standardError.write(Array(line.utf8))
    }

    /// The line of a message, such as `03:21:54 warning: the login cannot be reached (address: https://…)`.
    static func line(
        _ message: String, _ level: Logger.Level, _ metadata: Logger.Metadata, at instant: Instant
    ) -> String {
        let mark = level >= .warning ? "\(level.rawValue): " : ""
        let about = metadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return VisibleText.escaped(time(of: instant) + " \(mark)\(message)" + (about.isEmpty ? "" : " (\(about))"))
    }

    /// The time of day in UTC, to the second.
    static func time(of instant: Instant) -> String { String(RFC3339.text(of: instant).dropFirst(11).prefix(8)) }
}
