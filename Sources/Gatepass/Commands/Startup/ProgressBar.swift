import Foundation
import LedgerStore
import Synchronization

/// The progress of long work on the standard error stream: a bar in a terminal, else a line every 30 seconds.
final class ProgressBar: Sendable {
    /// The shortest time between two updates of the bar.
    private static let pause = Duration.milliseconds(100)
    /// The time between two lines outside of a terminal.
    private static let longPause = Duration.seconds(30)
    private static let width = 30

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let last = Mutex(Surroundings.uptime())

    /// Shows the progress, unless it was shown a moment ago.
    func show(_ percent: Int, _ line: @autoclosure () -> String) {
        let now = Surroundings.uptime()
        let isDue = last.withLock { last in
            guard now - last >= (isTerminal ? Self.pause : Self.longPause) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        if isTerminal {
            StandardError.write("\r" + Self.bar(percent, line()))
        } else {
            StandardError.print("gatepass: " + line())
        }
    }

    /// Removes the bar from the terminal.
    func clear() {
        if isTerminal { StandardError.write("\r\u{1B}[K") }
    }

    static func bar(_ percent: Int, _ line: String) -> String {
        let done = width * percent / 100
        return "[" + String(repeating: "#", count: done) + String(repeating: ".", count: width - done) + "] " + line
    }
}

extension LedgerCheck.Progress {
    /// The progress in words.
    var line: String {
        states > 0
            ? "\(states) signed states verified"
            : "\(percent)%, \(entries) entries of \(people) ledgers verified"
    }
}
