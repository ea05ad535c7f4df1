import Glibc
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Standings that a server makes anew by itself, though nobody asks.
    @Suite struct Standings {
        /// Waits until the list of users has `text`. Throws when no whole answer came.
        private static func expect(_ text: String, in backend: EndToEndBackend) async throws {
            var listed = ""
            for _ in 0..<300 {
                listed = try await backend.ask("users?order=end").text
                if listed.contains(text) { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            Issue.record("\(text) is missing in \(listed)")
        }

        @Test func `who has no access any more is listed so, and a start makes what is missing`() async throws {
            let backend = try await EndToEndBackend.open()
            let server = backend.server
            let end = now + 4_000
            try await backend.attach(EndToEndBackend.sale("pass.30", at: end - 30 * day), to: "anna")
            #expect(try await backend.ask("users").text.contains(#""user_id":"anna","state":"active""#))
            try await Self.expect(#""user_id":"anna","state":"expired""#, in: backend)
            #expect(try await backend.ask("users").text.contains(#""overdue":0"#))
            for table in ["standings", "standing_answers"] { try await server.schema.rows("DELETE FROM \(table)") }
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: "ben")
            try await server.schema.rows("UPDATE standings SET state = 'free'")
            try await server.schema.rows("UPDATE standing_answers SET settings = 'those of before'")
            try await server.end(by: SIGKILL)
            try await server.boot()
            try await Self.expect(#""user_id":"anna","state":"expired""#, in: backend)
            try await Self.expect(#""user_id":"ben","state":"active""#, in: backend)
            #expect(try await server.end() == 0)
        }

        @Test func `killed while it makes standings anew, a server answers by the newest catalogue`() async throws {
            let backend = try await EndToEndBackend.open()
            let server = backend.server
            let (rounds, users, bought) = (TestRun.rounds(5, soak: 50), (0..<40).map { "u\($0)" }, now - day)
            for user in users {
                for round in 0..<rounds {
                    try await backend.attach(EndToEndBackend.sale("pass.\(round).week", at: bought), to: user)
                }
            }
            var chance = SeededChance("killed while making standings")
            let tier = "  - {id: vast, rank: 3000000000, devices: 5}\n"
            var catalogue = EndToEndBackend.catalogue.replacing("  - {id: ebb, lane", with: tier + "  - {id: ebb, lane")
            for round in 0..<rounds {
                catalogue += "\n  - {id: pass.\(round).week, kind: pass, tier: vast, duration: 7d}"
                try EndToEndServer.write(catalogue, to: server.directory + "/catalog.yaml")
                #expect(try await server.command(["catalog", "apply"]).status == 0)
                try await Task.sleep(for: .milliseconds(.random(in: 0...400, using: &chance)))
                try await server.end(by: SIGKILL)
                try await server.boot()
                for user in users.shuffled(using: &chance).prefix(5) {
                    let status = try await backend.look("status", of: user)
                    #expect(status.integer("expires_at_ms") == bought + Int64(round + 1) * 7 * day, "\(status.text)")
                }
            }
            #expect(try await server.command(["catalog", "apply", "--wait"]).status == 0)
            #expect(try await backend.ask("users").text.contains(#""overdue":0"#))
            let check = try await server.command(["audit", "verify"])
            #expect(check.status == 0, "\(check.text)")
            #expect(try await server.end() == 0)
        }
    }
}
