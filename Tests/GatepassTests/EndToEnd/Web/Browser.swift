import FoundationEssentials
import NIOHTTP1
import Support
import Testing

/// Chromium without a window, which opens pages of other origins.
enum Browser {
    /// Where it is; nil where there is none and none can be installed, which is printed.
    static let path: Task<String?, Never> = Task {
        let output = "/tmp/gatepass-browser-\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: output) }  // it is under /tmp
        let find = TestRun.repository + "/scripts/browser/find"
        // It did not run: there is no shell.
        let status = try? await blocking { try ChildProcess.start([find], log: output).waitForEnd() }
        let said = String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        // apt-get ends its lines with CR LF, which is one character.
        if status == 0 { return said.split(whereSeparator: \.isNewline).last.map(String.init) }
        print("no browser: \(said)")
        return nil
    }

    /// True if the dashboard's pages can be walked: there is a browser, and its client from the package index. Without
    /// one of them the tests are skipped, but never in `.ci/run`.
    static let opensPages: Task<Bool, Never> = Task {
        let isRequired = ProcessInfo.processInfo.environment["GATEPASS_TEST_BROWSER"] == "required"
        guard await path.value != nil else { return isRequired }
        let make = TestRun.repository + "/scripts/browser/environment"
        // It did not run: there is no shell.
        let status = try? await blocking { try ChildProcess.start([make], log: "/dev/null").waitForEnd() }
        return status == 0 || isRequired
    }

    /// Opens a page whose origin is `http://HOST:PORT`, and waits for what it reports. Throws when it reports nothing.
    static func report(of page: String, host: String, port: Int) async throws -> EndToEndAnswer {
        let folder = "/tmp/gatepass-page-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // it is under /tmp
        try EndToEndServer.write(page, to: folder + "/page.html")
        let browser = try #require(await path.value)
        let arguments = [
            "python3", TestRun.repository + "/scripts/browser/visit.py", browser, String(port), folder + "/page.html",
            folder + "/report", host,
        ]
        do {
            try await blocking { try ChildProcess.run(arguments, log: folder + "/log") }
        } catch {
            let log = FileManager.default.contents(atPath: folder + "/log") ?? Data()
            Issue.record("\(String(decoding: log, as: UTF8.self))")
            throw error
        }
        let report = FileManager.default.contents(atPath: folder + "/report") ?? Data()
        return EndToEndAnswer(status: 200, headers: [:], body: Array(report))
    }
}
