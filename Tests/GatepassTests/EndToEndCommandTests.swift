import AppStore
import Entitlements
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What operators do and read at the command line, as the API tells it.
    @Suite struct CommandLine {
        private static func said(_ words: [String], at till: EndToEndTill) async throws -> String {
            let answer = try await till.server.command(words)
            #expect(answer.status == 0, "\(words): \(answer.text)")
            return answer.text
        }

        private static func refusal(_ words: [String], at till: EndToEndTill) async throws -> String {
            let answer = try await till.server.command(words)
            #expect(answer.status != 0, "\(words): \(answer.text)")
            return answer.text
        }

        @Test func `a rotation and a new catalogue are told to the trail, with why, and what changes nothing is not`()
            async throws
        {
            let till = try await EndToEndTill.open()
            let kid = try await Self.said(["tokens", "rotate", "--reason", "a leak"], at: till)
                .split(separator: " ").first
            _ = try await Self.said(["catalog", "apply", "--reason", "nothing new"], at: till)
            let more = EndToEndTill.catalogue + "\n  - {id: pass.7, kind: pass, tier: pro, duration: 7d}"
            try EndToEndServer.write(more, to: till.server.directory + "/catalog.yaml")
            for _ in 1...2 { _ = try await Self.said(["catalog", "apply"], at: till) }
            let told = try await till.ask("audit")
            #expect(told.count("data") == 3, "\(told.text)")
            #expect(told.string("data.0.action") == "catalog.apply" && told["data.0.reason"]?.isNull == true)
            #expect(told.string("data.0.details.version") == "2")
            #expect(told.string("data.1.action") == "token_key.rotate" && told.string("data.1.reason") == "a leak")
            #expect(told.string("data.1.details.kid") == kid.map(String.init))
            for number in 0...1 { #expect(told.string("data.\(number).actor") == "command_line") }
            #expect(try await Self.said(["audit", "verify"], at: till).contains("3 entries are whole"))
            for words in [["tokens", "rotate"], ["catalog", "apply"], ["keys", "create", "--scopes", "read"]] {
                for reason in ["", String(repeating: "r", count: 501)] {
                    let text = try await Self.refusal(words + ["--reason", reason], at: till)
                    #expect(text.contains("a reason has 1 to 500 characters"), "\(text)")
                }
            }
            #expect(try await till.server.end() == 0)
        }
    }
}
