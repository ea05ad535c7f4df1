import Foundation

extension Gatepass {
    // MARK: Products

    /// A product of the catalogue.
    public struct Item: Sendable, Equatable, Decodable {
        public let productID: String
        /// `pass`, `add_on`, `consumable` or `plan`.
        public let kind: String
        public let title: String?
        public let tier: String?
        public let features: [String]
    }

    /// The products of the App Store, with texts in one of `languages` (RFC 9110, Accept-Language); no sign-in is
    /// needed. The price is StoreKit's.
    public func products(languages: [String] = Locale.preferredLanguages) async throws(GatepassError) -> [Item] {
        struct Answer: Decodable { let products: [Item] }
        let path = "/api/iap/apple/products" + (bundleID.map { "?bundle_id=\($0.escaped)" } ?? "")
        let headers = ["Accept-Language": languages.prefix(5).joined(separator: ", ")]
        let answer: Answer = try await service.answer(to: Request(path: path, headers: headers))
        return answer.products
    }

    // MARK: Devices

    /// A device on record.
    public struct Device: Sendable, Equatable, Decodable {
        public let deviceID: String
        public let name: String?
        public let pinned: Bool
        /// `active` or `suspended`.
        public let state: String
    }

    /// All of them: at most 100 are on record.
    public func devices() async throws(GatepassError) -> [Device] {
        struct Page: Decodable { let data: [Device] }
        let page: Page = try await call(Request(path: "/api/devices?limit=100"))
        return page.data
    }

    /// Puts a device on record and gives it a seat, or changes its name and pin. `seatLimitReached` says how many.
    @discardableResult
    public func register(
        device id: String, name: String? = nil, pinned: Bool = false
    ) async throws(GatepassError) -> Device {
        struct Body: Encodable {
            let device_id: String
            let name: String?
            let pinned: Bool
        }
        let body = Body(device_id: id, name: name, pinned: pinned)
        return try await call(.post("/api/devices", body))
    }

    /// Gives a device its seat back.
    @discardableResult
    public func reactivate(device: String) async throws(GatepassError) -> Device {
        try await tell("reactivate", device)
    }

    /// Takes its seat from a device.
    @discardableResult
    public func suspend(device: String) async throws(GatepassError) -> Device { try await tell("suspend", device) }

    /// Tells that a device is in use: whenever the app is opened.
    @discardableResult
    public func seen(device: String) async throws(GatepassError) -> Device { try await tell("seen", device) }

    private func tell(_ act: String, _ device: String) async throws(GatepassError) -> Device {
        try await call(.post("/api/devices/\(device.escaped)/\(act)"))
    }

    /// Takes a device off the record.
    public func remove(device: String) async throws(GatepassError) {
        struct Nothing: Decodable {}
        let _: Nothing = try await call(Request(method: "DELETE", path: "/api/devices/\(device.escaped)"))
    }

    // MARK: Credits

    /// The answer to a spend.
    public struct Spent: Sendable, Equatable, Decodable {
        public let spent: Int
        public let spendable: Int
        public let debt: Int
    }

    /// Spends, once for each `key`: keep it until there is an answer, and ask again with the same. For servers with
    /// `credits.user_spend`; others say `forbidden`. The environment is Production, or Sandbox. The balances are in the
    /// status.
    public func spend(
        _ amount: Int, of unit: String, for reference: String, key: String, environment: String = "Production"
    ) async throws(GatepassError) -> Spent {
        struct Body: Encodable {
            let amount: Int
            let reference: String
            let environment: String
        }
        let body = Body(amount: amount, reference: reference, environment: environment)
        let path = "/api/credits/\(unit.escaped)/spend"
        return try await call(.post(path, body, headers: ["Idempotency-Key": key]))
    }
}
