import Foundation

/// The stream for what went wrong.
enum StandardError {
    /// Writes `text` and a line break.
    static func print(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
