import AppStore
import Entitlements
import StoreSimulator
import Support
import Synchronization
import Testing

/// What clients do at once to three users, drawn from a seed, and what they were told.
final class EndToEndHistory: Sendable {
    /// One request, as it can be sent again.
    struct Request: Sendable {
        let backend: EndToEndBackend
        let method: String
        let path: String
        let body: String
        let user: String
        /// Nil for what users send themselves.
        let key: String?
        let deed: Deed
    }

    /// What is asked for, with what its row in the ledger names.
    enum Deed: Sendable {
        case attach(String)
        case restore
        case spend(String)
        case reserve
        case commit(String)
        case release(String)
        case register(String)
        case device
        case grant
        case revoke(String)
        case transfer(to: String)
        case merge(of: String)
        case look
    }

    /// What is known so far.
    struct State {
        var reservations: [String] = []
        var grants: [String] = []
        /// `user|kind|name` of a row that must be there.
        var rows: Set<String> = []
        var done: [(request: Request, answer: EndToEndAnswer)] = []
    }

    /// A purchase, and what the store signs of it.
    struct Good {
        let id: String
        let texts: [String]
    }

    let name: String
    let seedName: String
    private let backends: [EndToEndBackend]
    /// Shows that whoever asks uses the Apple account that bought everything.
    let proof: String
    let goods: [Good]
    let state = Mutex(State())

    var users: [String] { ["a", "b", "c"].map { name + "." + $0 } }
    var rows: Set<String> { state.withLock { $0.rows } }
    var done: [(request: Request, answer: EndToEndAnswer)] { state.withLock { $0.done } }

    /// Throws never with the tests' authority.
    init(_ seedName: String, instance: String, backends: [EndToEndBackend]) throws {
        self.seedName = seedName
        name = instance
        self.backends = backends
        var account = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: EndToEnd.now - EndToEnd.day)
        account.environment = .production
        account.appAppleId = 1_234_567_890
        proof = try backends[0].server.authority.sign(account).text
        let start = EndToEnd.now - 10 * EndToEnd.day
        goods = try (0..<9).map { place in
            let product = place < 5 ? "credits.100" : place < 7 ? "pass.30" : "basic.30"
            let bought = EndToEndBackend.sale(product, at: start + Int64(place) * 3_600_000)
            let states = [
                bought, bought, bought.refunded(at: start + EndToEnd.day, percentage: 33_333),
                bought.refunded(at: start + 2 * EndToEnd.day), bought.reversed(at: start + 3 * EndToEnd.day),
                bought.refunded(at: start + 4 * EndToEnd.day, percentage: 50_000),
            ]
            let last = 2 + place % 4
            return Good(
                id: bought.transactionId,
                texts: try states.prefix(last).map { try backends[0].server.sign($0) })
        }
    }

    /// Lets `clients` do so many things each, at once. Throws when no whole answer came.
    func run(clients: Int, deeds: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    var chance = SeededChance("\(self.seedName) client \(client)")
                    for deed in 0..<deeds {
                        let backend = self.backends[client % self.backends.count]
                        let step = Step(&chance, of: self, backend, key: "\(self.name)-\(client)-\(deed)")
                        if let request = step.request { try await self.note(request, self.send(request)) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Sends a request, also for the second time. Throws when no whole answer came.
    func send(_ request: Request) async throws -> EndToEndAnswer {
        if case .look = request.deed { return try await request.backend.server.status(of: request.user, "?history=1") }
        guard let key = request.key else {
            return try await request.backend.server.send(
                request.method, request.path, Array(request.body.utf8), as: request.user)
        }
        return try await request.backend.act(
            request.path, request.body, for: request.user, method: request.method, key: key)
    }

    // MARK: What is answered

    private func note(_ request: Request, _ answer: EndToEndAnswer) {
        guard [200, 201, 204].contains(answer.status) else {
            let isRefusal = [404, 409].contains(answer.status)
            #expect(isRefusal, "\(request.path) \(request.body.prefix(200)): \(answer.status) \(answer.text)")
            return
        }
        var rows: [String] = []
        let user = request.user
        switch request.deed {
        case .attach(let id): rows = ["\(user)|has|\(id)"]
        case .restore:
            rows = (0..<(answer.count("results") ?? 0)).compactMap { index in
                guard answer.string("results.\(index).outcome") == "attached" else { return nil }
                return answer.string("results.\(index).transaction_id").map { "\(user)|has|\($0)" }
            }
        case .spend(let reference): rows = ["\(user)|spent|\(reference)"]
        case .reserve:
            if let id = answer.string("reservation_id") {
                rows = ["\(user)|reserved|\(id)"]
                state.withLock { $0.reservations.append(user + "|" + id) }
            }
        case .commit(let id): rows = ["\(user)|committed|\(id)"]
        case .release(let id): rows = ["\(user)|released|\(id)"]
        case .register(let device): rows = ["\(user)|device_registered|\(device)"]
        case .device, .look: return
        case .grant:
            if let id = answer.string("id") {
                rows = ["\(user)|granted|\(id)"]
                state.withLock { $0.grants.append(user + "|" + id) }
            }
        case .revoke(let id): rows = ["\(user)|withdrawn|\(id)"]
        case .transfer(let receiver):
            let id = answer.string("transferred.0.external_id") ?? "nothing"
            rows = ["\(user)|gave_away|\(id)", "\(receiver)|received|\(id)"]
        case .merge(let guest):
            rows = (0..<(answer.count("transferred") ?? 0)).flatMap { index in
                let id = answer.string("transferred.\(index).external_id") ?? "nothing"
                return ["\(guest)|gave_away|\(id)", "\(user)|received|\(id)"]
            }
        }
        state.withLock { state in
            state.rows.formUnion(rows)
            state.done.append((request, answer))
        }
    }
}
