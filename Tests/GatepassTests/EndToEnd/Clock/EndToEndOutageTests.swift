import Foundation
import Glibc
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// Outages of the database on the test clock, with the retries of Production: after 1, 12, 24, 48 and 72 hours
    /// (`apple.md` §4.2).
    @Suite struct Outages {
        /// What is told while the database is away: the newest leaves the renewal off and a price to agree to.
        private static let acts = [["cancel"], ["cancel", "--undo"], ["price-increase"], ["cancel"]]

        private static func advance(
            _ span: String, on installation: DevelopmentInstallation
        ) async throws -> EndToEndAnswer {
            try await installation.send(.POST, "/dev/clock", Data(#"{"advance":"\#(span)"}"#.utf8), as: "alice")
        }

        /// The deliveries that were tried, each with when and what became of it, in the order in which they were.
        private static func tries(in answer: EndToEndAnswer) -> [(at: Int, event: String, result: String)] {
            (0..<(answer.count("happened") ?? 0)).map { place in
                let happening = "happened.\(place)."
                return (
                    answer.integer(happening + "at_ms").map { Int($0) } ?? 0,
                    answer.string(happening + "event") ?? "", answer.string(happening + "result") ?? ""
                )
            }
        }

        /// A plan in Production, and a database that stands still while `acts` are told. Throws when the program cannot
        /// be run.
        private static func outage(on installation: DevelopmentInstallation) async throws -> pid_t {
            let plan = ["--environment", "Production", "--days", "365", "--product", "monthly.1"]
            #expect(try await installation.simulate(["subscribe"] + plan).status == 0)
            let database = try installation.databaseProcess()
            kill(database, SIGSTOP)
            for words in acts {
                let told = try await installation.simulate(words)
                #expect(told.status == 0 && told.text.contains("tried again at"), "\(told.text)")
            }
            return database
        }

        /// The newest text counts, whatever was taken before it.
        private static func expectNewest(_ installation: DevelopmentInstallation) async throws {
            let status = try await installation.send(.GET, EndToEndServer.statusPath, as: "alice")
            #expect(status["entitlements.0.will_renew"]?.flag == false, "\(status.text)")
            #expect(status.string("entitlements.0.price_consent") == "pending", "\(status.text)")
        }

        @Test func `what only the last of five retries brings is taken, in the order in which it was signed`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let database = try await Self.outage(on: installation)
            defer { kill(database, SIGCONT) }
            // Ten minutes before a retry is due nothing is tried, ten minutes after it everything was, once. Real time
            // that goes by meanwhile is less than that.
            var told: [String] = []
            for wait in ["50m", "11h40m", "23h40m", "1d23h40m"] {
                #expect(Self.tries(in: try await Self.advance(wait, on: installation)).isEmpty, "\(wait)")
                let tried = Self.tries(in: try await Self.advance("20m", on: installation))
                #expect(tried.count == Self.acts.count, "\(wait): \(tried)")
                #expect(tried.allSatisfy { $0.result.contains("tried again at") }, "\(wait): \(tried)")
                #expect(tried.map(\.at) == tried.map(\.at).sorted())
                if told.isEmpty { told = tried.map(\.event) }
                #expect(tried.map(\.event) == told, "\(wait)")
            }
            #expect(Self.tries(in: try await Self.advance("2d23h40m", on: installation)).isEmpty)
            kill(database, SIGCONT)
            try await installation.requireReady()
            let taken = Self.tries(in: try await Self.advance("20m", on: installation))
            // A try that the frozen database had received is carried out once it goes on; its retry is a duplicate.
            #expect(taken.count == Self.acts.count, "\(taken)")
            #expect(taken.allSatisfy { ["applied", "duplicate"].contains($0.result) }, "\(taken)")
            // By when each is due, and that is the order in which the store signed them.
            #expect(taken.map(\.event) == told && taken.map(\.at) == taken.map(\.at).sorted())
            try await Self.expectNewest(installation)
            #expect(Self.tries(in: try await Self.advance("80d", on: installation)).isEmpty)
        }
    }
}
