import StrictJSON
import Foundation
import NIOHTTP1
import Support
import Testing

extension EndToEnd {
    /// Card billing as the simulator plays it, beside the App Store, on the clock of a development server.
    @Suite struct CardSales {
        private static func check(
            _ user: String, on installation: DevelopmentInstallation
        ) async throws -> EndToEndAnswer {
            try await installation.send(.GET, "/api/billing/subscriptions/check/\(user)", as: user)
        }

        @Test(arguments: ["", " --old-shape"])
        func `a card subscription renews, fails, recovers, pauses and ends on the clock, in both shapes`(
            _ shape: String
        ) async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let bought = try await installation.simulate(
                ["stripe", "checkout", "--product", "annual.3", "--days", "30"]
                    + shape.split(separator: " ").map(String.init))
            #expect(bought.status == 0 && bought.text.contains("alice paid for annual.3 by card: "), "\(bought.text)")
            let first = try await Self.check("alice", on: installation)
            #expect(first.string("status") == "ACTIVE" && first.string("provider") == "stripe", "\(first.text)")
            #expect(first.string("plan_id") == "annual_3" && first.integer("devices") == 3)
            #expect(try await installation.run(["clock", "advance", "30d1h"]).status == 0)
            #expect(try await installation.simulate(["stripe", "fail"]).status == 0)
            let failed = try await Self.check("alice", on: installation)
            #expect(failed.string("status") == "GRACE", "\(failed.text)")
            #expect(try await installation.run(["clock", "advance", "13d"]).status == 0)
            #expect(try await Self.check("alice", on: installation).string("status") == "GRACE")
            #expect(try await installation.run(["clock", "advance", "1d"]).status == 0)
            #expect(try await Self.check("alice", on: installation).string("status") == "EXPIRED")
            #expect(try await installation.simulate(["stripe", "recover", "--reversed", "--twice"]).status == 0)
            #expect(try await Self.check("alice", on: installation).string("status") == "ACTIVE")
            #expect(try await installation.simulate(["stripe", "pause"]).status == 0)
            #expect(try await Self.check("alice", on: installation)["is_subscribed"]?.flag == false)
            #expect(try await installation.run(["clock", "advance", "1d"]).status == 0)
            #expect(try await installation.simulate(["stripe", "resume"]).status == 0)
            #expect(try await Self.check("alice", on: installation).string("status") == "ACTIVE")
            // Card billing dates in whole seconds.
            #expect(try await installation.run(["clock", "advance", "1m"]).status == 0)
            #expect(try await installation.simulate(["stripe", "refund", "--percent", "50"]).status == 0)
            #expect(try await Self.check("alice", on: installation).string("status") == "ACTIVE")
            #expect(try await installation.simulate(["stripe", "refund"]).status == 0)
            #expect(try await Self.check("alice", on: installation).string("status") == "REVOKED")
            #expect(try await installation.simulate(["stripe", "cancel", "--now"]).status == 0)
            let over = try await installation.simulate(["stripe", "renew"])
            #expect(over.status == 1 && over.text.contains("the subscription is canceled"), "\(over.text)")
        }

        @Test func `a pass by card runs behind one of Apple, and a lost dispute takes that alone`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            #expect(try await installation.simulate(["purchase", "--product", "pass.30"]).status == 0)
            // Card billing dates in whole seconds.
            let wait = ["clock", "advance", "1m"]
            #expect(try await installation.run(wait).status == 0)
            let bought = try await installation.simulate(["stripe", "checkout", "--product", "pass.30", "--json"])
            #expect(bought.status == 0, "\(bought.text)")
            let path = EndToEndServer.statusPath
            let both = try await installation.send(.GET, path, as: "alice")
            let sources = (0..<2).compactMap { both.string("segments.\($0).source") }
            #expect(sources == ["apple_iap", "stripe"], "\(both.text)")
            let clock = try await installation.send(.GET, "/dev/clock", as: "alice").integer("now_ms") ?? 0
            #expect((both.integer("expires_at_ms") ?? 0) > clock + 59 * day)
            #expect(try await installation.simulate(["stripe", "dispute"]).status == 0)
            #expect(try await installation.send(.GET, path, as: "alice").count("segments") == 2)
            #expect(try await installation.run(wait).status == 0)
            #expect(try await installation.simulate(["stripe", "dispute", "--lost"]).status == 0)
            let one = try await installation.send(.GET, path, as: "alice")
            #expect(one.count("segments") == 1 && one.string("segments.0.source") == "apple_iap", "\(one.text)")
            #expect(try await installation.run(wait).status == 0)
            #expect(try await installation.simulate(["stripe", "dispute", "--won"]).status == 0)
            #expect(try await installation.send(.GET, path, as: "alice").count("segments") == 2)
        }

        @Test func `what does not fit is refused with the way out`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            for (words, status, complaint) in [
                (["renew"], 1, "run `gatepass simulate stripe checkout` first"),
                (["checkout", "--product", "credits.100"], 64, "does not sell credits.100 by card"),
                (["checkout", "--product", "pass.30"], 0, "alice paid for pass.30 by card"),
                (["pause"], 1, "it is one payment and no subscription"),
                (["refund", "--percent", "0"], 64, "--percent 0: write 1 to 100"),
                (["checkout", "--product", "annual.3", "--trial"], 0, "alice paid for annual.3 by card"),
                (["refund"], 1, "nothing was paid for the present period"),
                (["dispute", "--won", "--lost"], 64, "exclude each other"),
            ] {
                let answer = try await installation.simulate(["stripe"] + words)
                #expect(answer.status == status && answer.text.contains(complaint), "\(words): \(answer.text)")
            }
        }
    }
}
