import Foundation
import Support
import Testing

extension EndToEnd {
    /// The stories of `docs/support.md`: each command of the page answers what the page shows, and what the customer
    /// has afterwards is right.
    @Suite struct SupportStories {
        /// Runs `body` with the blocks of a story, on the demo catalogue. Throws what `body` throws.
        private static func tell(
            _ title: String, _ body: (SupportStory, [[SupportPage.Command]]) async throws -> Void
        ) async throws {
            let demo = try String(contentsOfFile: TestRun.repository + "/config/catalog.yaml", encoding: .utf8)
            let installation = try await DevelopmentInstallation.open(adding: "sandbox_access: testers", selling: demo)
            defer { installation.close() }
            try await body(SupportStory(on: installation), try SupportPage(story: title).blocks)
        }

        @Test func `paid and locked`() async throws {
            try await Self.tell("Paid and locked") { story, blocks in
                try #require(blocks.count == 4)
                for block in blocks[..<2] { try await story.play(block) }
                #expect(try await story.hasAccess("anna") == false)
                try await story.play(blocks[2])
                #expect(try await story.hasAccess("anna") == true)
                #expect(try await story.installation.run(["webhooks", "list", "--state", "parked"]).text.isEmpty)
                try await story.play(blocks[3])
                #expect(try await story.hasAccess("alma") == true)
            }
        }

        @Test func `paid by card and no access`() async throws {
            try await Self.tell("Paid by card and no access") { story, blocks in
                try #require(blocks.count == 3)
                for block in blocks[..<2] { try await story.play(block) }
                #expect(try await story.hasAccess("bea") == false)
                try await story.play(blocks[2])
                #expect(try await story.hasAccess("bea") == true)
                let renewed = try await story.installation.simulate(["stripe", "renew", "--user", "bea"])
                #expect(renewed.status == 0 && renewed.text.contains("applied, applied"), "\(renewed.text)")
                #expect(try await story.installation.run(["webhooks", "list", "--state", "parked"]).text.isEmpty)
            }
        }

        @Test func `refunded but still in`() async throws {
            try await Self.tell("Refunded but still in") { story, blocks in
                try #require(blocks.count == 4)
                for block in blocks[..<2] { try await story.play(block) }
                #expect(try await story.hasAccess("carl") == true)
                try await story.play(blocks[2])
                #expect(try await story.hasAccess("carl") == false)
                try await story.play(blocks[3])
                #expect(try await story.hasAccess("carl") == false)
            }
        }

        @Test func `new phone`() async throws {
            try await Self.tell("New phone") { story, blocks in
                try #require(blocks.count == 3)
                for block in blocks[..<2] { try await story.play(block) }
                #expect(try await story.hasAccess("dora") == false)
                #expect(try await story.hasAccess("dora.old") == true)
                try await story.play(blocks[2])
                #expect(try await story.hasAccess("dora") == true)
                #expect(try await story.hasAccess("dora.old") == false)
            }
        }

        @Test func `too many devices`() async throws {
            try await Self.tell("Too many devices") { story, blocks in
                try #require(blocks.count == 4 && blocks[1].isEmpty)
                try await story.play(blocks[0])
                #expect(try await story.register("old.phone", of: "finn") == 201)
                #expect(try await story.register("new.phone", of: "finn") == 409)
                try await story.play(blocks[2])
                try await story.play(blocks[3])
                #expect(try await story.register("new.phone", of: "finn") == 201)
                #expect(try await story.register("old.phone", of: "finn") == 409)
            }
        }

        @Test func `app review sees nothing`() async throws {
            try await Self.tell("App Review sees nothing") { story, blocks in
                try #require(blocks.count == 4)
                for block in blocks[..<2] { try await story.play(block) }
                #expect(try await story.hasAccess("reviewer") == false)
                try await story.play(blocks[2])
                #expect(try await story.hasAccess("reviewer") == true)
                try await story.play(blocks[3])
                #expect(try await story.hasAccess("reviewer") == false)
            }
        }

        @Test func `a command answers as the server that it is for, whatever its shell says`() async throws {
            let installation = try await DevelopmentInstallation.open(adding: "sandbox_access: testers")
            defer { installation.close() }
            let sold = try await installation.simulate(["purchase", "--user", "remy", "--environment", "Sandbox"])
            #expect(sold.text.contains("recorded, sandbox_not_allowed"), "\(sold.text)")
            let options = DevelopmentInstallation.options(installation.directory)
            for command in [["user", "status", "remy"], ["doctor"]] {
                let told = try await DevelopmentInstallation.command(
                    command + options, environment: ["GATEPASS_SANDBOX_ACCESS": "everyone"])
                let expected =
                    command == ["doctor"]
                    ? "count for testers, and nobody is named" : "recorded (sandbox_not_allowed)"
                #expect(told.text.contains(expected), "\(told.text)")
            }
        }

        @Test func `the reader of the page takes commands with their answers, and what it does not run is left out`() {
            let page = """
                ## A
                ```console
                $ gatepass a --reason "b c" d
                one
                two
                $ curl x
                three
                ```
                ```yaml
                $ gatepass e
                ```
                ## B
                ```console
                $ gatepass f
                ```
                """
            let read = SupportPage(story: "A", in: page).blocks
            #expect(read == [[.init(words: ["a", "--reason", "b c", "d"], shown: ["one", "two"])]])
            #expect(SupportPage(story: "B", in: page).blocks == [[.init(words: ["f"], shown: [])]])
            #expect(SupportPage(story: "C", in: page).blocks == [])
        }
    }
}
