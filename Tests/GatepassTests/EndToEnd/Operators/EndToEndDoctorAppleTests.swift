import Foundation
import Support
import Synchronization
import Testing

extension EndToEnd.Doctor {
    private static let unknown = StoreReceiver.Answer(404, #"{"errorCode":4040010,"errorMessage":"x"}"#)

    @Test func `Apple's key has a line of its own, whatever Apple answers, and nothing is written`() async throws {
        let patient = try await Patient()
        let said = Mutex<(production: StoreReceiver.Answer, sandbox: StoreReceiver.Answer)>(
            (Self.unknown, Self.unknown))
        let apple = try EndToEndApple { line in
            said.withLock { line.contains(" /sandbox/") ? $0.sandbox : $0.production }
        }
        let address = try #require(apple.settings["GATEPASS_APPLE_API_BASE_URL"])
        let settings = apple.settings.merging(["GATEPASS_APPLE_SANDBOX_API_BASE_URL": address + "/sandbox"]) { $1 }
        let unset = try await patient.examine()
        #expect(unset.status == 0 && unset.text.contains("not configured: Apple is asked nothing"), "\(unset.text)")
        let before = try await patient.server.schema.dump()
        let refused = StoreReceiver.Answer(401, "")
        let invalid = StoreReceiver.Answer(400, #"{"errorCode":4000006,"errorMessage":"x"}"#)
        let busy = StoreReceiver.Answer(429, "{}")
        for (production, sandbox, result, words, questions) in [
            (Self.unknown, refused, "ok", "accepts the key TEST for 1 app\"", 1),
            (invalid, refused, "ok", "accepts the key TEST for 1 app\"", 1),
            (refused, Self.unknown, "ok", "in the Sandbox alone for com.airport.vpn", 2),
            (refused, refused, "wrong", "does not accept the key TEST for com.airport.vpn", 2),
            (.init(500, "{}"), Self.unknown, "wrong", "cannot be asked: it answered 500", 1),
            (refused, .init(503, ""), "wrong", "cannot be asked: it answered 503", 2),
            (busy, Self.unknown, "warning", "wants no questions until", 1),
        ] as [(StoreReceiver.Answer, StoreReceiver.Answer, String, String, Int)] {
            said.withLock { $0 = (production, sandbox) }
            let asked = apple.requests.count
            let report = try await patient.examine(settings)
            #expect(report.notOK == (result == "ok" ? [:] : ["apple_key": result]), "\(report.text)")
            #expect(report.status == ["ok": 0, "warning": 2][result] ?? 1)
            #expect(report.text.contains(words), "\(words): \(report.text)")
            #expect(apple.requests.count - asked == questions, "\(words)")
            #expect(apple.requests.allSatisfy { $0.line.hasPrefix("GET ") && $0.line.hasSuffix("/transactions/0") })
        }
        #expect(try await patient.server.schema.dump() == before)

        let asked = apple.requests.count
        try await patient.server.schema.rows("INSERT INTO apple_pauses VALUES ('Sandbox', 4102444800000)")
        let paused = try await patient.examine(settings)
        #expect(paused.notOK == ["apple_key": "warning"] && paused.text.contains("until 2100-01-01T00:00:00Z"))
        #expect(apple.requests.count == asked, "nothing is asked during a pause")
        try await patient.server.schema.rows("UPDATE apple_pauses SET paused_until = 1000")
        said.withLock { $0 = (Self.unknown, Self.unknown) }
        #expect(try await patient.examine(settings).notOK == [:])

        let nowhere = ["GATEPASS_APPLE_API_BASE_URL": "http://127.0.0.1:\(PrivateMariaDB.freePort())"]
        let away = try await patient.examine(settings.merging(nowhere) { $1 })
        #expect(away.notOK == ["apple_key": "wrong"] && away.text.contains("Apple cannot be asked"), "\(away.text)")
        let noFile = ["GATEPASS_APPLE_PRIVATE_KEY_FILE": "/nonexistent.p8"]
        let missing = try await patient.examine(settings.merging(noFile) { $1 })
        #expect(missing.notOK == ["apple_key": "wrong"], "\(missing.text)")
        apple.close()
        try await patient.close()
    }
}
