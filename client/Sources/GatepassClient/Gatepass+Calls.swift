import Foundation

extension Gatepass {
    // MARK: Purchases

    /// The answer about a purchase that is the user's now.
    public struct Attachment: Sendable, Equatable, Decodable {
        /// `attached`, `already_attached`, `revoked` or `recorded`.
        public let outcome: String
        /// Whether the app finishes the transaction: `deliver` does.
        public let finish: Bool
        /// Why it gives nothing now, such as `unknown_product`: it is paid, and begins to count by itself.
        public let reason: String?
    }

    /// Makes a purchase the user's. `jws` is StoreKit's `jwsRepresentation`, `proof` that of the `AppTransaction`.
    public func attach(_ jws: String, proof: String? = nil) async throws(GatepassError) -> Attachment {
        struct Answer: Decodable {
            let attachment: Attachment
            let status: Status
            enum CodingKeys: CodingKey { case status }
            init(from decoder: any Decoder) throws {
                attachment = try Attachment(from: decoder)
                status = try decoder.container(keyedBy: CodingKeys.self).decode(Status.self, forKey: .status)
            }
        }
        var body = ["signedTransactionJWS": jws]
        body["signedAppTransaction"] = proof
        let (answer, asked) = try await call(
            "POST", "/api/iap/apple/transactions/attach", body: body, as: Answer.self)
        if !keep(answer.status, asked) { refreshLater() }
        return answer.attachment
    }

    /// The verdicts about what a device has, and how far Apple's history was read.
    public struct Restored: Sendable, Equatable {
        /// In the order of the texts.
        public internal(set) var verdicts: [Verdict?]
        /// `complete`, `recent`, `pending`, `unavailable` or `not_configured`.
        public internal(set) var history = ""

        /// A verdict about one text.
        public struct Verdict: Sendable, Equatable, Decodable {
            let index: Int
            /// An attachment's, `duplicate_in_request` or `refused`.
            public let outcome: String
            public let finish: Bool
            /// A problem's, where it is refused.
            public let code: String?
            public let retry: String?
            public let reason: String?
        }
    }

    /// Makes everything that a device has the user's; with no texts the server only reads Apple's history. Texts go in
    /// parts; those that say `later` are sent again, twice. `judged` is told each verdict when it comes, with the
    /// text's place, so that nothing is lost where a later part throws.
    @discardableResult
    public func restore(
        _ texts: [String], proof: String? = nil,
        judged: @Sendable (_ place: Int, _ verdict: Restored.Verdict) async -> Void = { _, _ in }
    ) async throws(GatepassError) -> Restored {
        struct Body: Encodable {
            let signedTransactions: [String]
            let signedAppTransaction: String?
        }
        struct Answer: Decodable {
            let results: [Restored.Verdict]
            let history: String
            let status: Status
        }
        var restored = Restored(verdicts: Array(repeating: nil, count: texts.count))
        var waiting = Array(texts.indices)
        for _ in 0..<3 {
            for part in Self.parts(of: waiting, sizes: texts.map(\.utf8.count)) {
                let body = Body(signedTransactions: part.map { texts[$0] }, signedAppTransaction: proof)
                let (answer, asked) = try await patiently { () async throws(GatepassError) in
                    try await self.call("POST", "/api/iap/apple/restore", body: body, as: Answer.self)
                }
                if !keep(answer.status, asked) { refreshLater() }
                restored.history = answer.history
                for verdict in answer.results where part.indices.contains(verdict.index) {
                    restored.verdicts[part[verdict.index]] = verdict
                    await judged(part[verdict.index], verdict)
                }
            }
            waiting = texts.indices.filter { restored.verdicts[$0]?.retry == Problem.Retry.later.rawValue }
            if waiting.isEmpty { break }
        }
        return restored
    }

    /// At most 500 items and 4 MiB are one restore; a proof has at most 16 KiB. Nothing is one empty part.
    nonisolated static func parts(of places: [Int], sizes: [Int]) -> [[Int]] {
        var parts: [[Int]] = [[]]
        var bytes = 0
        for place in places {
            let size = sizes[place] + 3  // quotation marks and a comma
            if !parts[parts.count - 1].isEmpty, bytes + size > 4_000_000 || parts[parts.count - 1].count == 500 {
                parts.append([])
                bytes = 0
            }
            parts[parts.count - 1].append(place)
            bytes += size
        }
        return parts
    }

    /// Asks again, twice, where the answer is to wait for less than a minute.
    private func patiently<Answer: Sendable>(
        _ ask: @MainActor () async throws(GatepassError) -> Answer
    ) async throws(GatepassError) -> Answer {
        for _ in 0..<2 {
            do throws(GatepassError) {
                return try await ask()
            } catch {
                guard case .wait(let seconds, _) = error, seconds <= 60, (try? await pause(seconds)) != nil
                else { throw error }
            }
        }
        return try await ask()
    }

    /// An answer came too late to be kept, and may all the same say what the kept one cannot know.
    private func refreshLater() {
        Task { _ = try? await refresh() }  // as a refresh that the app asks for: what is kept counts on
    }

    /// A product of the catalogue.
    public struct Item: Sendable, Equatable, Decodable {
        public let productID: String
        /// `pass`, `add_on`, `consumable` or `plan`.
        public let kind: String
        public let title: String?
        public let tier: String?
        public let features: [String]

        enum CodingKeys: String, CodingKey {
            case productID = "product_id", kind, title, tier, features
        }
    }

    /// What the App Store sells, with texts in one of `languages` (RFC 9110, Accept-Language). The price is StoreKit's.
    public func products(languages: [String] = Locale.preferredLanguages) async throws(GatepassError) -> [Item] {
        struct Answer: Decodable { let products: [Item] }
        let wanted = languages.prefix(5).joined(separator: ", ")
        return try await fetch(
            "/api/iap/apple/products", headers: ["Accept-Language": wanted], as: Answer.self
        ).products
    }

    // MARK: Devices

    /// A device on record.
    public struct Device: Sendable, Equatable, Decodable {
        public let deviceID: String
        public let name: String?
        public let pinned: Bool
        /// `active` or `suspended`.
        public let state: String

        enum CodingKeys: String, CodingKey {
            case deviceID = "device_id", name, pinned, state
        }
    }

    /// All of them: at most 100 are on record.
    public func devices() async throws(GatepassError) -> [Device] { try await list("/api/devices", of: Device.self) }

    /// Puts a device on record and gives it a seat, or changes its name and pin. `seat_limit_reached` says how many.
    @discardableResult
    public func register(
        device id: String, name: String? = nil, pinned: Bool = false
    ) async throws(GatepassError) -> Device {
        struct Body: Encodable {
            let device_id: String
            let name: String?
            let pinned: Bool
        }
        return try await call(
            "POST", "/api/devices", body: Body(device_id: id, name: name, pinned: pinned), as: Device.self
        ).0
    }

    /// What can be done with a device on record.
    public enum DeviceAct: String, Sendable { case reactivate, suspend, seen }

    /// Gives its seat back, takes it, or tells that it is in use: whenever the app is opened.
    @discardableResult
    public func tell(_ act: DeviceAct, of device: String) async throws(GatepassError) -> Device {
        try await call("POST", "/api/devices/\(device.escaped)/\(act.rawValue)", as: Device.self).0
    }

    /// Takes a device off the record.
    public func remove(device: String) async throws(GatepassError) {
        _ = try await call("DELETE", "/api/devices/\(device.escaped)", as: Nothing.self)
    }

    // MARK: Credits

    /// The answer to a spend.
    public struct Spent: Sendable, Equatable, Decodable {
        public let spent: Int
        public let spendable: Int
        public let debt: Int
    }

    /// All balances, by unit and environment.
    public func credits() async throws(GatepassError) -> [Status.Balance] {
        try await list("/api/credits", of: Status.Balance.self)
    }

    /// Spends, once for each `key`: keep it until there is an answer, and ask again with the same. For servers with
    /// `credits.user_spend`; others say `forbidden`. The environment is Production, or Sandbox.
    public func spend(
        _ amount: Int, of unit: String, for reference: String, key: String, environment: String = "Production"
    ) async throws(GatepassError) -> Spent {
        struct Body: Encodable {
            let amount: Int
            let reference: String
            let environment: String
        }
        return try await call(
            "POST", "/api/credits/\(unit.escaped)/spend", headers: ["Idempotency-Key": key],
            body: Body(amount: amount, reference: reference, environment: environment), as: Spent.self
        ).0
    }

    private func list<Element: Decodable & Sendable>(
        _ path: String, of type: Element.Type
    ) async throws(GatepassError) -> [Element] {
        var all: [Element] = []
        var query = ["limit": "100"]
        repeat {
            let page = try await call("GET", path, query: query, as: Page<Element>.self).0
            all += page.data
            query["cursor"] = page.next_cursor
        } while query["cursor"] != nil
        return all
    }
}

private struct Page<Element: Decodable & Sendable>: Decodable, Sendable {
    let data: [Element]
    let next_cursor: String?
}
