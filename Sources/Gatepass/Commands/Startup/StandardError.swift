import Foundation

/// The standard error stream.
enum StandardError {
    /// Writes `text` and a line break.
    static func print(_ text: String) {
        write(text + "\n")
    }

    /// Writes `text` alone.
    static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
