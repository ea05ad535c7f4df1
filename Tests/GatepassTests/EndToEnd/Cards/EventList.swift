import Foundation
import NIOHTTP1
import StoreSimulator
import Support

/// Stripe's list of events on loopback, the newest first, a few on a page (`stripe.md` §6).
struct EventList {
    /// A key as Stripe's are; nothing may print it.
    static let key = "rk_live_canary_51Jx"

    let receiver: StoreReceiver

    /// Lists `events`, which are told in the order in which they happened. `answer` takes the place of a page where it
    /// is not nil; it is handed the request, how often the same was asked before, and the page.
    ///
    /// Throws when it cannot listen.
    init(
        _ events: [CardAccount.Event], pageSize: Int = 100,
        answering answer:
            @escaping @Sendable (
                _ request: StoreReceiver.Request, _ before: Int, _ page: String
            ) -> StoreReceiver.Answer? = { _, _, _ in nil }
    ) throws {
        let newestFirst = Array(events.reversed())
        receiver = try StoreReceiver { request, before in
            let end = Self.query(request)["starting_after"]
            let start = newestFirst.firstIndex { $0.id == end }.map { $0 + 1 } ?? 0
            let listed = newestFirst[start...].prefix(pageSize)
            let page = Self.page(listed.map(\.body), hasMore: start + listed.count < newestFirst.count)
            let count = before.count { $0.line == request.line }
            if let told = answer(request, count, page) { return told }
            guard end == nil || start > 0 else { return .init(400, #"{"error":{"code":"resource_missing"}}"#) }
            return .init(200, page)
        }
    }

    /// The settings that lead to it.
    var settings: [String: String] {
        [
            "GATEPASS_STRIPE_API_KEY": Self.key,
            "GATEPASS_STRIPE_API_BASE_URL": "http://127.0.0.1:\(receiver.port)/",
        ]
    }

    /// The parameters of what was asked, in order.
    var asked: [[String: String]] { receiver.requests.map(Self.query) }

    /// What a page says, each event written otherwise than by the webhook: over several lines, deeper in, its members
    /// in another order and with escapes.
    static func page(_ bodies: [String], hasMore: Bool) -> String {
        let events = bodies.map { body in
            let event = try? JSONSerialization.jsonObject(with: Data(body.utf8))
            let written = event.flatMap { try? JSONSerialization.data(withJSONObject: $0, options: .prettyPrinted) }
            return written.map { String(decoding: $0, as: UTF8.self).replacing("é", with: "\\u00e9") } ?? body
        }
        return """
            {
              "object": "list", "url": "/v1/events", "has_more": \(hasMore),
              "data": [
                \(events.joined(separator: ",\n"))
              ]
            }
            """
    }

    private static func query(_ request: StoreReceiver.Request) -> [String: String] {
        let path = request.line.split(separator: " ").last.map(String.init) ?? ""
        let items = URLComponents(string: path)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }
}

/// What `gatepass reconcile stripe` printed.
struct Reconciled {
    let status: Int32
    let text: String
    /// With `--json`: its report.
    let report: EndToEndAnswer

    init(status: Int32, text: String) {
        self.status = status
        self.text = text
        let lines = text.split(separator: "\n")
        let json = lines.drop { $0 != "{" }.prefix { $0 != "}" }.joined(separator: "\n") + "\n}"
        report = EndToEndAnswer(status: 0, headers: [:], body: Array(json.utf8))
    }

    /// What became of the new ones, such as `applied 3`.
    var results: [String] {
        (0..<(report.count("results") ?? 0)).map { place in
            let words = ["result", "reason"].compactMap { report.string("results.\(place).\($0)") }
            return (words + ["\(report.integer("results.\(place).count") ?? 0)"]).joined(separator: " ")
        }
    }

    /// How many events were listed, how many of them were known and how many new.
    var counts: [Int64?] { ["listed", "known", "new"].map { report.integer($0) } }
}
