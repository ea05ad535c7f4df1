import StoreSimulator
import Entitlements
import Foundation
import StripeBilling
import Support
import Testing

/// What Stripe's own library signs is believed, and what it refuses is not (`stripe.md` §1).
@Suite struct StripeLibraryTests {
    private static let secret = "whsec_the_library"
    private static let time: Int64 = 1_767_225_600

    /// All questions of one run.
    private struct Questions: Encodable {
        struct Body: Encodable {
            let name: String
            let secret: String
            let timestamp: Int64
            let body: String
        }

        struct Header: Encodable {
            let name: String
            let secret: String
            let header: String
            let body: String
        }

        let bodies: [Body]
        let headers: [Header]
    }

    /// The library's answers by name. Throws when it cannot be run.
    private static func ask(_ questions: Questions) throws -> [String: String] {
        let folder = URL(fileURLWithPath: "/tmp/gatepass-stripe-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // it is under /tmp
        let (asked, answered) = (folder.appendingPathComponent("questions"), folder.appendingPathComponent("answers"))
        try JSONEncoder().encode(questions).write(to: asked)
        try ChildProcess.run(
            [TestRun.repository + "/scripts/stripe-library/run", asked.path, answered.path],
            log: folder.appendingPathComponent("log").path)
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: answered))
    }

    private static func refusal(_ body: String, _ header: String?) throws -> SignatureRefusal? {
        let secrets = try #require(EndpointSecrets(["whsec_other", secret]))
        do throws(SignatureRefusal) {
            _ = try VerifiedEvent.verify(
                Array(body.utf8), signedAs: SignatureHeader(header), with: secrets,
                at: Instant(milliseconds: time * 1_000))
            return nil
        } catch {
            return error
        }
    }

    @Test func `every event of every story that the library signs is believed, and ours by the library`() throws {
        var bodies: [String: String] = [:]
        for shape in CardAccount.Shape.allCases {
            for story in CardStory.all(of: { CardAccount(shape, tag: $0) }, for: { _ in "anna" }, from: Self.time) {
                for (place, event) in story.events.enumerated() {
                    bodies["\(shape.rawValue) \(story.name) \(place)"] = event.body
                }
            }
        }
        let ours = bodies.map { name, body in
            let event = CardAccount.Event(id: "", body: body)
            return Questions.Header(
                name: "ours " + name, secret: Self.secret,
                header: event.header("whsec_before", Self.secret, at: Self.time), body: body)
        }
        let answers = try Self.ask(
            Questions(
                bodies: bodies.map { name, body in
                    Questions.Body(name: name, secret: Self.secret, timestamp: Self.time, body: body)
                },
                headers: ours))
        #expect(answers.count == 2 * bodies.count && bodies.count > 60)
        for (name, body) in bodies {
            #expect(try Self.refusal(body, answers[name]) == nil, "\(name)")
            #expect(answers["ours " + name] == "OK", "\(name)")
        }
    }

    @Test func `what the library refuses is refused`() throws {
        let body = CardAccount(tag: "t").event(1, "invoice.paid", at: Self.time, [:]).body
        let event = CardAccount.Event(id: "", body: body)
        let genuine = event.header(Self.secret, at: Self.time)
        let changed = String(genuine.dropLast()) + (genuine.hasSuffix("0") ? "1" : "0")
        let headers: [String: String] = [
            "": "", "nonsense": "nonsense", "no time": String(genuine.drop { $0 != "v" }),
            "no signature": "t=\(Self.time)", "scheme v0": genuine.replacing("v1=", with: "v0="),
            "another secret": event.header("whsec_x", at: Self.time),
            "another time": genuine.replacing("t=\(Self.time)", with: "t=\(Self.time - 1)"),
            "a digit changed": changed, "a signature cut": String(genuine.dropLast(2)),
        ]
        let answers = try Self.ask(
            Questions(
                bodies: [],
                headers: headers.map { name, header in
                    Questions.Header(name: name, secret: Self.secret, header: header, body: body)
                }))
        for (name, header) in headers {
            let answer = try #require(answers[name], "\(name)")
            #expect(answer != "OK", "\(name)")
            #expect(try Self.refusal(body, header) != nil, "\(name)")
        }
        #expect(try Self.refusal(body, genuine) == nil)
        #expect(try Self.refusal(body + " ", genuine) == .signatureMismatch)
    }
}
