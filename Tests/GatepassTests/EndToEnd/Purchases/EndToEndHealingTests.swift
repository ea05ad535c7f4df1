import Foundation
import NIOHTTP1
import Testing

extension EndToEnd {
    /// Purchases of which the server was never told, and the simulated App Store that knows them.
    @Suite struct Healing {
        @Test func `a purchase of which neither the app nor Apple told is healed by the next restore`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let nothing = try await installation.simulate(["restore", "--user", "anna"])
            #expect(nothing.status == 1 && nothing.text.contains("nothing to restore"), "\(nothing.text)")
            for story in ["purchase", "lose"] {
                #expect(try await installation.simulate([story, "--user", "anna"]).status == 0, "\(story)")
            }
            let before = try await installation.send(.GET, "/api/iap/purchases", as: "anna")
            #expect(before.count("data") == 1)
            let restored = try await installation.simulate(["restore", "--user", "anna", "--json"])
            #expect(restored.status == 0 && restored.string("history") == "complete", "\(restored.text)")
            #expect(restored.integer("summary.recovered") == 1, "\(restored.text)")
            let after = try await installation.send(.GET, "/api/iap/purchases", as: "anna")
            #expect(after.count("data") == 2)
            let again = try await installation.simulate(["restore", "--user", "anna", "--json"])
            #expect(again.string("history") == "recent" && again.integer("summary.recovered") == 0, "\(again.text)")
            let ready = try await installation.server.get("/readyz")
            #expect(ready.body.contains(#""name":"apple","ok":true,"detail":"Sandbox: answers""#), "\(ready.body)")
        }

        @Test func `the simulated App Store answers only the installation's own key`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let path = "/dev/apple/sandbox/inApps/v2/history/1"
            #expect(try await installation.send(.GET, path, bearing: "no token").status == 401)
            let login = try await installation.run(["token", "anna"]).text.trimmingCharacters(in: .newlines)
            #expect(try await installation.send(.GET, path, bearing: login).status == 401)
        }
    }
}
