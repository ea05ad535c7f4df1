import FoundationEssentials
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Users of both stores, and a program that recomputes what they have from what the stores signed
    /// (`scripts/oracle`).
    @Suite struct Oracle {
        private static let batch = 100

        @Test func `what every user has is what an independent program finds in the raw texts and events`()
            async throws
        {
            let backend = try await OracleShop.open()
            let server = backend.server
            for first in stride(from: 0, to: TestRun.rounds(Self.batch, soak: 10_000), by: Self.batch) {
                let visits = try await Self.visits(first..<first + Self.batch, to: backend)
                let differing = try await Self.differing(
                    visits, by: OracleQuestions(lines: visits.flatMap { $0.lines }), server)
                if let (visit, differences) = differing.first {
                    Issue.record(
                        """
                        GATEPASS_TEST_SEED=\(TestRun.seed): \(differing.count) of \(visits.count) users differ, \
                        the first is \(visit.person.name)
                        \(differences.joined(separator: "\n"))
                        \(visit.story)
                        """)
                    break
                }
                guard first == 0 else { continue }
                // A program that is not told everything must be noticed, else the comparison proves nothing.
                let lines = visits.flatMap { $0.lines }
                let thinned = lines.indices.filter { $0 % 4 != 0 || lines[$0].contains("\"ask\"") }
                let noticed = try await Self.differing(
                    visits, by: OracleQuestions(lines: thinned.map { lines[$0] }), server)
                #expect(noticed.count > Self.batch / 4)
            }
            #expect(try await server.end() == 0)
        }

        /// Those of whom the server says something else than the oracle, and what.
        private static func differing(
            _ visits: [OracleVisit], by questions: OracleQuestions, _ server: EndToEndServer
        ) async throws -> [(visit: OracleVisit, differences: [String])] {
            let oracle = try await questions.answers(
                of: OracleShop.catalogueFile(of: server), in: server.directory)
            return visits.compactMap { visit in
                let differences = visit.differences(from: oracle[visit.person.name] ?? [:])
                return differences.isEmpty ? nil : (visit, differences)
            }
        }

        /// Tells the server of some people at once and asks about them.
        private static func visits(_ numbers: Range<Int>, to backend: EndToEndBackend) async throws -> [OracleVisit] {
            let now = EndToEnd.now
            var visits = try await each(Array(numbers)) { try await OracleVisit($0, at: now, to: backend) }
            visits = try await each(visits) { visit in
                var visit = visit
                try await visit.tell(visit.person.early)
                return visit
            }
            try await settle(backend.server, isAll: false)
            visits = try await each(visits) { visit in
                var visit = visit
                try await visit.tell(visit.person.late)
                return visit
            }
            try await settle(backend.server, isAll: true)
            return try await each(visits) { visit in
                var visit = visit
                try await visit.ask()
                return visit
            }
        }

        /// Waits until nothing is pending, and at the end until nothing waits at all.
        private static func settle(_ server: EndToEndServer, isAll: Bool) async throws {
            let waiting = "SELECT external_id, reason FROM inbox_deliveries WHERE state = 'parked'"
            let query = isAll ? waiting : waiting + " AND reason = 'pending'"
            let start = ContinuousClock.now
            while try await !server.schema.rows(query).isEmpty, start.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await server.schema.rows(query) == [], "GATEPASS_TEST_SEED=\(TestRun.seed)")
        }

        /// Does something for each, 16 at a time, and keeps their order.
        private static func each<In: Sendable, Out: Sendable>(
            _ elements: [In], _ body: @escaping @Sendable (In) async throws -> Out
        ) async throws -> [Out] {
            try await withThrowingTaskGroup(of: (Int, Out).self) { group in
                var next = elements.indices.makeIterator()
                let start = { (group: inout ThrowingTaskGroup<(Int, Out), any Error>) in
                    guard let place = next.next() else { return }
                    let element = elements[place]
                    group.addTask {
                        let done = try await body(element)
                        return (place, done)
                    }
                }
                for _ in 0..<16 { start(&group) }
                var found: [Int: Out] = [:]
                while let (place, done) = try await group.next() {
                    found[place] = done
                    start(&group)
                }
                return elements.indices.compactMap { found[$0] }
            }
        }
    }

    /// What a segment of base64url says.
    static func decoded(_ segment: String) -> String {
        let plain = segment.replacing("-", with: "+").replacing("_", with: "/")
        let padded = plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
        return String(decoding: Data(base64Encoded: padded) ?? Data(), as: UTF8.self)
    }
}
