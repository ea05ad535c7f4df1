import FoundationEssentials
import Support
import Testing

extension EndToEnd {
    /// Every page of the dashboard in a real browser: by keyboard and without scripts, then with axe-core, with and
    /// without customers (`scripts/browser/dashboard`). `make soak` walks them in every width.
    @Suite(.enabled("no browser") { await Browser.opensPages.value }) struct Pages {
        @Test func `every page works by keyboard and without scripts, and breaks no rule of accessibility`()
            async throws
        {
            let report = "/tmp/gatepass-walk-\(UInt32.random(in: .min ... .max))"
            defer { try? FileManager.default.removeItem(atPath: report) }  // it is under /tmp
            let words = [TestRun.repository + "/scripts/browser/dashboard/run", "walk"]
            let status = try await blocking { try ChildProcess.start(words, log: report).waitForEnd() }
            let said = String(decoding: FileManager.default.contents(atPath: report) ?? Data(), as: UTF8.self)
            #expect(status == 0, "\(said)")
        }
    }
}
