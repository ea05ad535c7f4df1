import FoundationEssentials
import StoreSimulator
import StrictJSON
import Support
import Testing

/// What the server was told and asked about some users, for `scripts/oracle/status.py` to answer too.
struct OracleQuestions {
    /// What the program says of a user at an instant.
    struct Answer {
        let status: JSONValue
        let check: JSONValue
    }

    /// Lines of JSON, in the order of arrival.
    var lines: [String] = []

    static func line(_ members: (name: String, json: String)...) -> String {
        "{" + members.map { SimulatedPayload.quoted($0.name) + ":" + $0.json }.joined(separator: ",") + "}"
    }

    /// Runs the program in `folder`; its answers by user and instant. Throws when it fails.
    func answers(of catalogue: String, in folder: String) async throws -> [String: [Int64: Answer]] {
        let (questions, answers, log) = (folder + "/questions", folder + "/answers", folder + "/oracle.log")
        try EndToEndServer.write(lines.joined(separator: "\n"), to: questions)
        let program = TestRun.repository + "/scripts/oracle/status.py"
        do {
            try await blocking {
                try ChildProcess.run(
                    ["python3", "-B", program, catalogue, questions, answers, "--sandbox", "testers"], log: log)
            }
        } catch {
            Issue.record("\(String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self))")
            throw error
        }
        var found: [String: [Int64: Answer]] = [:]
        for line in try Data(contentsOf: URL(fileURLWithPath: answers)).split(separator: UInt8(ascii: "\n")) {
            let answer = JSONValue(try StrictJSON(Array(line)))
            let user = try #require(answer["user"]?.string)
            let instant = try #require(answer["at_ms"]?.integer.flatMap { Int64($0) })
            let (status, check) = (try #require(answer["status"]), try #require(answer["check"]))
            found[user, default: [:]][instant] = Answer(status: status, check: check)
        }
        return found
    }

    /// All that a status says of access, a line each; what has no order is put into one. Of the past it is not said
    /// what was to follow.
    static func picture(of status: JSONValue, isPast: Bool) -> [String] {
        let single = ["active", "tier", "tier_rank", "state", "expires_at_ms", "access_expires_at_ms"]
        var lines = single.map { $0 + " " + text(status[$0]) }
        lines.append("features " + (status["features"]?.elements ?? []).map(text).sorted().joined(separator: " "))
        lines += (status["limits"]?.members ?? []).map { "limit " + $0.name + " " + text($0.value) }.sorted()
        for (list, members) in [
            (
                "segments",
                [
                    "starts_at_ms", "ends_at_ms", "lane", "tier", "source", "external_id", "environment", "product_id",
                    "store_product_id",
                ]
            ),
            (
                "entitlements",
                ["source", "external_id", "environment", "product_id", "store_product_id", "state"]
                    + (isPast ? [] : ["will_renew"])
            ),
            ("add_ons", ["product_id", "state"]), ("credits", ["unit", "environment", "spendable", "debt"]),
            ("offers", ["subscription_group", "introductory_eligible"]),
        ] {
            lines += (status[list]?.elements ?? []).map { element in
                list + " " + members.map { text(element[$0]) }.joined(separator: " ")
            }.sorted()
        }
        let giving = (status["entitlements"]?.elements ?? []).filter { text($0["state"]) != "recorded" }
        for (title, kinds, members) in [
            ("dates", ["pass", "plan"], ["starts_at_ms", "ends_at_ms"]),
            ("quantity", ["pass", "add_on", "consumable"], ["quantity"]), ("length", ["pass"], ["duration_seconds"]),
        ] {
            lines += giving.filter { kinds.contains(text($0["kind"])) }.map { element in
                let names = ["source", "external_id", "environment"] + members
                return title + " " + names.map { text(element[$0]) }.joined(separator: " ")
            }.sorted()
        }
        return lines + ["devices " + text(status["devices"]?["allowed"])]
    }

    static func text(_ value: JSONValue?) -> String {
        guard let value else { return "missing" }
        return value.string ?? value.integer ?? value.flag.map { $0 ? "true" : "false" } ?? "null"
    }
}
