import EntitlementAPI
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The standard error stream, which takes whole lines in their order.
///
/// The lines of requests are gathered and written a few times a second, for a write each would cost a tenth of a request; so
/// kill -9 may take the last of them. Everything else is written at once, with what was gathered before it.
final class LogStream: Sendable {
    static let standardError = LogStream()

    /// Gathered lines are written when they are more than this many bytes.
    private static let longestGathered = 64 * 1024

    private let gathered = Mutex<[UInt8]>([])

    /// Writes `line` now.
    func write(_ line: [UInt8]) {
        gathered.withLock { gathered in
            gathered += line
            gathered.append(UInt8(ascii: "\n"))
            Self.write(&gathered)
        }
    }

    /// Writes `line` soon.
    func gather(_ line: [UInt8]) {
        gathered.withLock { gathered in
            gathered += line
            gathered.append(UInt8(ascii: "\n"))
            if gathered.count > Self.longestGathered { Self.write(&gathered) }
        }
    }

    /// Writes what was gathered.
    func flush() {
        gathered.withLock { Self.write(&$0) }
    }

    /// What the stream does not take is lost: a full disk must not stop the server.
    private static func write(_ lines: inout [UInt8]) {
        lines.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress {
                let count = Foundation.write(STDERR_FILENO, start, rest.count)
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
        lines.removeAll(keepingCapacity: true)
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
