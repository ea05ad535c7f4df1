import StrictJSON
import Foundation
import NIOHTTP1
import Support
import Testing

extension EndToEnd {
    /// A year of a plan in one process, without waiting: what the server says at each turn.
    @Suite struct Stories {
        private static let monthlyAnswers = [
            "ACTIVE monthly_1 1", "ACTIVE monthly_1 1", "ACTIVE monthly_1 1", "EXPIRED monthly_1 0",
            "ACTIVE monthly_1 1", "ACTIVE monthly_1 1", "REVOKED monthly_1 0", "ACTIVE monthly_1 1",
            "ACTIVE monthly_1 1", "ACTIVE monthly_1 1", "ACTIVE monthly_1 1", "ACTIVE monthly_1 1",
            "ACTIVE monthly_1 1", "ACTIVE monthly_1 1", "EXPIRED monthly_1 0",
        ]

        private static let annualAnswers = [
            "ACTIVE annual_3 3", "ACTIVE annual_3 3", "ACTIVE annual_3 3", "ACTIVE annual_3 3", "ACTIVE annual_3 3",
            "GRACE annual_3 3", "ACTIVE annual_3 3", "REVOKED annual_3 0", "ACTIVE annual_3 3",
        ]

        /// Plays a story; each scene's answer, and the whole. Throws when the program cannot be run.
        private static func play(
            _ words: [String], on installation: DevelopmentInstallation
        ) async throws -> (answers: [String], scenes: EndToEndAnswer) {
            let played = try await installation.simulate(["story"] + words + ["--json"])
            #expect(played.status == 0, "\(played.text)")
            let scenes = EndToEndAnswer(status: 200, headers: [:], body: Array(#"{"scenes":\#(played.text)}"#.utf8))
            let answers = (0..<(scenes.count("scenes") ?? 0)).map { index in
                let scene = "scenes.\(index)."
                #expect(scenes.string(scene + "result") == "applied", "\(played.text)")
                let check = scene + "subscription."
                return "\(scenes.string(check + "status") ?? "-") \(scenes.string(check + "plan_id") ?? "-") "
                    + "\(scenes.integer(check + "devices") ?? -1)"
            }
            return (answers, scenes)
        }

        @Test(arguments: [[], ["--by-notification"]])
        func `a year of annual_3 and one of monthly_1, for an app that attaches and for one that never posts`(
            _ route: [String]
        ) async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let annual = try await Self.play(["annual_3_year"] + route, on: installation)
            #expect(annual.answers == Self.annualAnswers, "\(annual.scenes.text)")
            #expect(annual.scenes.string("scenes.5.event") == "billing failed")
            let graceEnds = try #require(annual.scenes.string("scenes.5.subscription.expires_at"))
            let failedAt = try #require(annual.scenes.string("scenes.5.at"))
            let formatter = ISO8601DateFormatter()
            let grace = try #require(formatter.date(from: graceEnds)).timeIntervalSince(
                try #require(formatter.date(from: failedAt)))
            #expect(abs(grace - 16 * 86_400) <= 120)
            let monthly = try await Self.play(["monthly_1_year"] + route, on: installation)
            #expect(monthly.answers == Self.monthlyAnswers, "\(monthly.scenes.text)")
            let table = try await installation.simulate(["story", "monthly_1_year", "--user", "fresh"])
            #expect(table.status == 0 && table.text.split(separator: "\n").count == 16, "\(table.text)")
            let repeated = try await installation.simulate(["story", "annual_3_year", "--user", "fresh"])
            #expect(repeated.status == 1 && repeated.text.contains("was subscribed before"), "\(repeated.text)")
        }

        @Test func `a year of monthly_1 that begins before a short month has the same scenes`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let begin = try #require(
                calendar.nextDate(
                    after: Date(), matching: DateComponents(month: 1, day: 30, hour: 12), matchingPolicy: .nextTime))
            let minutes = Int(begin.timeIntervalSinceNow / 60)
            #expect(try await installation.run(["clock", "advance", "\(minutes)m"]).status == 0)
            let monthly = try await Self.play(["monthly_1_year"], on: installation)
            #expect(monthly.answers == Self.monthlyAnswers, "\(monthly.scenes.text)")
        }

        @Test func `what a child asks for is bought when a parent approves, and never when one declines`() async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let ask = ["purchase", "--user", "kid", "--product", "pass.30", "--ask-to-buy"]
            let path = EndToEndServer.statusPath
            let asked = try await installation.simulate(ask)
            #expect(asked.status == 0 && asked.text.contains("kid asked to buy pass.30"), "\(asked.text)")
            #expect(try await installation.send(.GET, path, as: "kid")["active"]?.flag == false)
            #expect(try await installation.simulate(["refund", "--user", "kid"]).status == 1)
            let declined = try await installation.simulate(["approve", "--user", "kid", "--decline"])
            #expect(declined.status == 0 && declined.text.contains("pass.30 was declined"), "\(declined.text)")
            #expect(try await installation.simulate(["approve", "--user", "kid"]).status == 1)
            #expect(try await installation.simulate(ask).status == 0)
            #expect(try await installation.run(["clock", "advance", "3h"]).status == 0)
            let approved = try await installation.simulate(["approve", "--user", "kid"])
            #expect(approved.text.contains(": attached, duplicate"), "\(approved.text)")
            let status = try await installation.send(.GET, path, as: "kid")
            let clock = try await installation.send(.GET, "/dev/clock", as: "kid").integer("now_ms") ?? 0
            #expect((status.integer("expires_at_ms") ?? 0) > clock + 30 * day - day / 24, "\(status.text)")
        }

        @Test func `notifications that are held back arrive newest first, and the order changes nothing`() async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            for words in [
                ["purchase", "--product", "pass.30", "--by-notification"], ["refund"], ["reverse"], ["refund"],
            ] {
                let held = try await installation.simulate(words + ["--hold"])
                #expect(held.status == 0 && held.text.contains("held back"), "\(held.text)")
            }
            let path = EndToEndServer.statusPath
            #expect(try await installation.send(.GET, path, as: "alice").count("entitlements") == 0)
            let delivered = try await installation.simulate(["deliver", "--newest-first"])
            let lines = delivered.text.split(separator: "\n")
            #expect(lines.count == 4 && lines.first?.hasPrefix("Apple refunded") == true, "\(delivered.text)")
            let status = try await installation.send(.GET, path, as: "alice")
            #expect(status["active"]?.flag == false && status.string("entitlements.0.state") == "revoked")
            let nothing = try await installation.simulate(["deliver"])
            #expect(nothing.text.contains("No notification is held back."), "\(nothing.text)")
        }
    }
}
