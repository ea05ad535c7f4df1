import EntitlementAPI
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The standard error stream. Lines are written whole and in order.
///
/// Access log lines are collected and written a few times a second, because a system call for each would cost a tenth
/// of a request. So kill -9 may lose the last of them. Other lines are written at once, after the collected ones. Only
/// one thread writes at a time, and no other thread waits for it. While the stream blocks, lines are collected up to a
/// limit.
final class LogStream: Sendable {
    static let standardError = LogStream()

    /// The number of collected bytes above which they are written at once.
    private static let longestGathered = 64 * 1024
    /// The number of collected bytes above which lines are dropped, so that a stream that blocks does not fill the
    /// memory.
    private static let longestBacklog = 8 * 1024 * 1024

    /// The state that the lock guards.
    private struct State {
        var gathered: [UInt8] = []
        var isWriting = false

        /// The lines to write; nil if another thread writes, or there are none.
        mutating func begin() -> [UInt8]? {
            guard !isWriting, !gathered.isEmpty else { return nil }
            isWriting = true
            defer { gathered = [] }
            return gathered
        }

        /// Swaps the lines that the caller has written for those that were collected meanwhile, and reuses the memory.
        /// False if there are none; then the caller stops writing.
        mutating func goOn(_ written: inout [UInt8]) -> Bool {
            written.removeAll(keepingCapacity: true)
            swap(&gathered, &written)
            isWriting = !written.isEmpty
            return isWriting
        }
    }

    private let state = Mutex(State())

    /// Writes `line` at once.
    func write(_ line: [UInt8]) {
        _ = append(line)
        flush()
    }

    /// Collects `line`, to be written soon.
    func gather(_ line: [UInt8]) {
        if append(line) > Self.longestGathered { flush() }
    }

    /// Writes the collected lines. If another thread is writing, that thread writes them too.
    func flush() {
        guard var lines = state.withLock({ $0.begin() }) else { return }
        repeat { Self.write(lines) } while state.withLock { $0.goOn(&lines) }
    }

    /// Collects a line, and returns the number of collected bytes; 0 if another thread is writing or the line was
    /// dropped.
    private func append(_ line: [UInt8]) -> Int {
        state.withLock { state in
            guard state.gathered.count + line.count < Self.longestBacklog else { return 0 }
            state.gathered += line
            state.gathered.append(UInt8(ascii: "\n"))
            return state.isWriting ? 0 : state.gathered.count
        }
    }

    /// Writes lines. Bytes that the stream refuses are dropped, because a full disk must not stop the server.
    private static func write(_ lines: [UInt8]) {
        lines.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress {
                let count = Foundation.write(STDERR_FILENO, start, rest.count)
                guard count > 0 || errno == EINTR else { return }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}

/// Writes the collected access log lines, ten times a second and when the server ends.
struct AccessLog: Service {
    private static let interval = Duration.milliseconds(100)

    /// Collects an access log line in a form, unless the level of `logger` is above info.
    static func take(_ line: AccessLine, as form: LogForm, for logger: Logger) {
        guard logger.logLevel <= .info else { return }
        switch form {
        case .json: LogStream.standardError.gather(json(line))
        case .text:
            LogStream.standardError.gather(Array((LineLogHandler.time(of: Surroundings.now()) + " \(line)").utf8))
        }
    }

    private static func json(_ line: AccessLine) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.name("time")
        json.value(toTheMillisecond: Surroundings.now())
        json.name("level")
        json.value(Logger.Level.info.rawValue)
        json.name("message")
        json.value("request")
        json.append(line)
        json.endObject()
        return json.bytes
    }

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            // The sleep fails only when the server ends; the remaining lines are written at the end of the process.
            while (try? await Task.sleep(for: Self.interval)) != nil { LogStream.standardError.flush() }
        }
    }
}
