import Foundation
import NIOHTTP1
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// The customers of a new installation: stories that were played in the past, up to now.
    @Suite struct CustomerStories {
        @Test func `a new installation has customers with stories, and a second start makes no more`() async throws {
            let catalogue = try String(contentsOfFile: "config/catalog.yaml", encoding: .utf8)
            let first = try await DevelopmentInstallation.open(selling: catalogue, with: ["--customers"])
            #expect(await first.server.says("# Then ask"), "\(first.server.log)")
            for (user, state, tier) in [
                ("maria", "active", "pro"), ("tom", "active", "pro"), ("ivy", "expired", "free"),
                ("sam", "expired", "free"), ("lea", "expired", "free"), ("karl", "active", "pro"),
                ("yuki", "active", "pro"), ("ben", "active", "pro"), ("nora", "active", "pro"),
                ("olga", "active", "pro"), ("peter", "active", "pro"), ("emma", "grace", "basic"),
                ("finn", "active", "basic"), ("lena", "active", "pro"), ("dan", "none", "free"),
                ("hana", "expired", "free"), ("guest-77", "active", "pro"),
            ] {
                let status = try await first.send(.GET, "/api/iap/apple/status", as: user)
                #expect(status.string("state") == state && status.string("tier") == tier, "\(user): \(status.text)")
            }
            let alice = try await first.send(.GET, "/api/iap/apple/status", as: "alice")
            #expect(alice["known"]?.flag == false, "\(alice.text)")
            let clock = try await first.send(.GET, "/dev/clock", as: "alice")
            #expect(clock.integer("ahead_ms") == 0, "\(clock.text)")
            let check = try await first.run(["audit", "verify"])
            #expect(check.status == 0, "\(check.text)")
            let made = try await first.schema.counts()
            #expect(made["purchases"] ?? 0 > 20, "\(made)")

            #expect(await first.server.end() == 0)
            let second = try await DevelopmentInstallation.serving(first.directory, with: ["--customers"])
            defer { second.close() }
            #expect(await second.server.says("# Then ask"))
            #expect(try await second.schema.counts()["ledger_entries"] == made["ledger_entries"])
        }
    }
}
