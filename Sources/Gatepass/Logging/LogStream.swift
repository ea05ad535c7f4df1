import EntitlementAPI
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The standard error stream, which takes whole lines in their order.
///
/// The lines of requests are gathered and written a few times a second, for a write each would cost a tenth of a
/// request; so kill -9 may take the last of them. Everything else is written at once, with what was gathered before it.
/// A single thread writes at a time and nobody waits for it: while a reader stalls lines are gathered, up to a limit.
final class LogStream: Sendable {
    static let standardError = LogStream()

    /// Gathered lines are written when they are more than this many bytes.
    private static let longestGathered = 64 * 1024
    /// Lines beyond this many bytes are lost: a stream that takes nothing must not fill the memory.
    private static let longestBacklog = 8 * 1024 * 1024

    /// The state that the lock guards.
    private struct State {
        var gathered: [UInt8] = []
        var isWriting = false

        /// The lines to write, unless somebody writes or there is nothing.
        mutating func begin() -> [UInt8]? {
            guard !isWriting, !gathered.isEmpty else { return nil }
            isWriting = true
            defer { gathered = [] }
            return gathered
        }

        /// Exchanges the lines that the caller wrote, whose memory is used again, for those that came meanwhile; false
        /// when there are none, and the caller writes no longer.
        mutating func goOn(_ written: inout [UInt8]) -> Bool {
            written.removeAll(keepingCapacity: true)
            swap(&gathered, &written)
            isWriting = !written.isEmpty
            return isWriting
        }
    }

    private let state = Mutex(State())

    /// Writes `line` now.
    func write(_ line: [UInt8]) {
        _ = append(line)
        flush()
    }

    /// Writes `line` soon.
    func gather(_ line: [UInt8]) {
        if append(line) > Self.longestGathered { flush() }
    }

    /// Writes the gathered lines, unless another thread is writing, which then writes these as well.
    func flush() {
        guard var lines = state.withLock({ $0.begin() }) else { return }
        repeat { Self.write(lines) } while state.withLock { $0.goOn(&lines) }
    }

    /// How many bytes are gathered with the line.
    private func append(_ line: [UInt8]) -> Int {
        state.withLock { state in
            guard state.gathered.count + line.count < Self.longestBacklog else { return 0 }
            state.gathered += line
            state.gathered.append(UInt8(ascii: "\n"))
            return state.isWriting ? 0 : state.gathered.count
        }
    }

    /// Lines that the stream does not take are lost: a full disk must not stop the server.
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

/// Writes the lines of requests, ten times a second and when the server ends.
struct AccessLog: Service {
    private static let interval = Duration.milliseconds(100)

    /// Takes a line; nothing where `logger` is set to say less.
    static func take(_ line: AccessLine, for logger: Logger) {
        guard logger.logLevel <= .info else { return }
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
        LogStream.standardError.gather(json.bytes)
    }

    /// Writes until the end. Throws nothing.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Only the end interrupts the sleep, and then there is one more write.
            while (try? await Task.sleep(for: Self.interval)) != nil { LogStream.standardError.flush() }
        }
    }
}
