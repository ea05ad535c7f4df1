import ArgumentParser
import Foundation
import NIOHTTP1
import Support
import Testing

@testable import EntitlementAPI
@testable import Gatepass

extension EndToEnd {
    /// Nothing that is for development alone is to be had in production, nor beside any server but that of
    /// `gatepass dev`.
    @Suite struct Production {
        private static let environment = [
            "GATEPASS_ENVIRONMENT": "production",
            "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        ]
        private static let appleRoot = TestRun.repository + "/config/certificates/AppleRootCA-G3.cer"
        private static let methods = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND",
        ]
        /// What those commands are told that need more than their name.
        private static let words = [
            "dev": ["--port", "0"], "token": ["alice"], "advance": ["1d"], "upgrade": ["--to", "annual.3"],
            "downgrade": ["--to", "monthly.1"], "TYPE": ["TEST"], "NAME": ["annual_3_year"],
        ]

        @Test func `the list has every route under dev and no other`() {
            #expect(Routes.development.allSatisfy { $0.isInDevelopmentOnly })
            let paths = Routes.all.filter { $0.path.hasPrefix("/dev") }.map(\.path)
            #expect(paths == Routes.development.map(\.path) && paths.contains("/dev/clock"))
            #expect(Routes.all.count { $0.isInDevelopmentOnly } == Routes.development.count)
        }

        @Test(arguments: ["production", "development"])
        func `a server that gatepass dev does not start answers no method of a development route`(
            environment: String
        ) async throws {
            let server = try await EndToEndServer(
                Self.environment.merging([
                    "GATEPASS_ENVIRONMENT": environment, "GATEPASS_APPLE_TRUST_ROOTS": Self.appleRoot,
                    "GATEPASS_MIGRATIONS_ON_START": "apply",
                ]) { $1 })
            try await server.boot()
            let nowhere = try await server.send("GET", "/nowhere").string("code")
            for path in Set(Routes.development.map(\.path)) {
                for method in Self.methods {
                    let answer = try await server.send(method, path)
                    #expect(answer.status == 404 && answer.headers["Allow"].isEmpty, "\(method) \(path)")
                    #expect(method == "HEAD" || answer.string("code") == nowhere, "\(method) \(path)")
                }
            }
            #expect(try await server.end() == 0)
        }

        @Test func `every development command and every story is refused and says why, and nothing is made`()
            async throws
        {
            let server = try await EndToEndServer(
                Self.environment.merging(["GATEPASS_APPLE_TRUST_ROOTS": Self.appleRoot]) { $1 })
            try EndToEndServer.write(EndToEndBackend.catalogue, to: server.directory + "/catalog.yaml")
            let installation = server.directory + "/none"
            for command in Self.commands(below: GatepassCommand.development) + Self.stories {
                let told = command.flatMap {
                    $0 == $0.uppercased() ? Self.words[$0] ?? [] : [$0] + (Self.words[$0] ?? [])
                }
                let answer = try await server.command(told + ["--data-dir", installation])
                let reasons = [
                    "there is no installation in \(installation)", "no server runs in \(installation)",
                    "environment is production",
                ]
                #expect(answer.status == 1, "\(told): \(answer.text)")
                #expect(reasons.contains { answer.text.contains($0) }, "\(told): \(answer.text)")
            }
            #expect(!FileManager.default.fileExists(atPath: installation))
        }

        @Test func `a development root is refused by name`() async throws {
            let server = try await EndToEndServer(Self.environment)
            for command in [["serve"], ["config", "check"]] {
                let answer = try await server.command(command)
                #expect(answer.status == 1 && answer.text.contains("is a development root; production refuses it"))
            }
        }

        /// The commands without subcommands, but for the one whose stories are its own.
        private static func commands(below types: [any ParsableCommand.Type]) -> [[String]] {
            types.filter { $0 != SimulateCommand.self }.flatMap { type -> [[String]] in
                let name = type.configuration.commandName ?? ""
                let below = commands(below: type.configuration.subcommands)
                return below.isEmpty ? [[name]] : below.map { [name] + $0 }
            }
        }

        /// The rows of the table; the one that prints them does nothing else.
        private static var stories: [[String]] {
            Story.table.filter { $0.name != "stories" }.map { ["simulate"] + $0.words }
        }
    }
}
