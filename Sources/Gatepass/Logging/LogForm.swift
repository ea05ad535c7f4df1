import Foundation

/// The form of log lines on the standard error stream.
enum LogForm: String, Hashable, Sendable, CaseIterable {
    /// A JSON object a line, for programs.
    case json
    /// A sentence a line, for people at a terminal.
    case text

    /// The form for people if the standard error stream is a terminal, else the one for programs.
    static var ofStandardError: LogForm { isatty(STDERR_FILENO) == 1 ? .text : .json }
}
