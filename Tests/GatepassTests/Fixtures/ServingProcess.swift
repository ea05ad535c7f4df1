import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Support

/// A `gatepass` that runs as a process of its own, in a directory of its own that is removed with it.
struct ServingProcess {
    /// What it answered.
    struct Answer {
        let status: Int
        let body: String
    }

    let directory: URL
    let port: Int
    let child: ChildProcess

    /// Starts the program with `arguments` after `--port`, and `environment` beside the present one. Throws when it
    /// cannot be started.
    init(_ command: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        directory = URL(fileURLWithPath: "/tmp/gatepass-\(UInt32.random(in: .min ... .max))", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        port = PrivateMariaDB.freePort()
        child = try Self.start([command, "--port", "\(port)"] + arguments, environment: environment, in: directory)
    }

    /// Starts the program without a port of its own, its output going to a file in `directory`. Throws when it cannot
    /// be started.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], in directory: URL,
        at workingDirectory: String = TestRun.repository
    ) throws -> ChildProcess {
        let settings = environment.map { "\($0.key)=\($0.value)" }
        return try ChildProcess.start(
            ["env", "-C", workingDirectory] + settings + [TestRun.program] + arguments,
            log: directory.appendingPathComponent("log").path)
    }

    /// What was written to the two output streams.
    var log: String {
        // Nothing was written yet.
        (try? String(contentsOf: directory.appendingPathComponent("log"), encoding: .utf8)) ?? ""
    }

    /// Whether it writes `text`, or `other` if that is given, within three minutes.
    func says(_ text: String, or other: String? = nil) async -> Bool {
        let deadline = ContinuousClock.now.advanced(by: .seconds(180))
        while ContinuousClock.now < deadline {
            let log = log
            if log.contains(text) || other.map({ log.contains($0) }) == true { return true }
            try? await Task.sleep(for: .milliseconds(50))  // cancelled: the deadline ends it
        }
        return false
    }

    /// Throws when there is no answer within a minute.
    func get(_ path: String) async throws -> Answer {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(status: Int(response.status.code), body: String(buffer: body))
    }

    /// Whether `path` is answered with `status` before `seconds` are over.
    func answers(_ path: String, _ status: Int, within seconds: Int = 180) async -> Bool {
        let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
        while ContinuousClock.now < deadline {
            if let answer = try? await get(path), answer.status == status { return true }  // it does not listen yet
            try? await Task.sleep(for: .milliseconds(50))  // cancelled: the deadline ends it
        }
        return false
    }

    /// Sends SIGTERM; answers the exit status.
    func end() async -> Int32 {
        child.send(SIGTERM)
        return await Self.end(of: child)
    }

    /// Waits on a thread of its own, for a wait on a task's thread would hold up other tests; answers the exit status.
    static func end(of child: ChildProcess) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: child.waitForEnd()) }
        }
    }

    /// Ends what may still run, and removes the directory.
    func remove() {
        child.send(SIGKILL)
        child.waitForEnd()
        try? FileManager.default.removeItem(at: directory)  // it is under /tmp
    }
}
