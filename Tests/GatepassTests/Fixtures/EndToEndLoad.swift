import AppStore
import MariaDB
import StoreSimulator
import Support
import Synchronization
import Testing

/// Workers that attach and restore new purchases, and what they were told was done.
final class EndToEndLoad: Sendable {
    private let servers: [EndToEndServer]
    private let users: Int
    private let sale: @Sendable () -> SimulatedTransaction
    private let state = Mutex(State())

    private struct State {
        var acknowledged: [String: String] = [:]
        var refusals = 0
        var isOver = false
    }

    /// Workers of one server, each a user who buys passes.
    convenience init(_ server: EndToEndServer) {
        self.init([server], users: .max) { EndToEndServer.pass(at: EndToEnd.now - 1_000) }
    }

    /// Workers of several servers in turn, who share so many users and buy what `sale` makes.
    init(_ servers: [EndToEndServer], users: Int, _ sale: @escaping @Sendable () -> SimulatedTransaction) {
        self.servers = servers
        self.users = users
        self.sale = sale
    }

    /// The user of each purchase that an answer called attached.
    var acknowledged: [String: String] { state.withLock { $0.acknowledged } }
    /// How many answers were 503.
    var refusals: Int { state.withLock { $0.refusals } }

    /// Lets the workers work while `body` runs; with `untilFault` each ends at its first broken connection.
    /// Throws what `body` throws.
    func run(workers: Int, untilFault: Bool, _ body: () async throws -> Void) async throws {
        state.withLock { $0.isOver = false }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask { try await self.work(worker, untilFault) }
            }
            defer { state.withLock { $0.isOver = true } }
            try await body()
        }
    }

    /// Waits for so many acknowledgements more. Throws when they do not come.
    func waitForAcknowledgements(_ more: Int, seconds: Int = 10) async throws {
        let wanted = acknowledged.count + more
        for _ in 0..<seconds * 100 where acknowledged.count < wanted { try await Task.sleep(for: .milliseconds(10)) }
        if acknowledged.count < wanted { throw EndToEndServer.Failure(log: servers.map(\.log).joined()) }
    }

    private func work(_ worker: Int, _ untilFault: Bool) async throws {
        let (user, server) = ("worker\(worker % users)", servers[worker % servers.count])
        // Of two servers each has workers who restore.
        let restores = worker % 4 == 1 || worker % 4 == 2
        while !state.withLock({ $0.isOver }) {
            let passes = (0..<(restores ? 4 : 1)).map { _ in sale() }
            let texts = try passes.map { try server.sign($0) }
            do {
                let answer =
                    try await restores
                    ? server.restore(texts.map(SimulatedPayload.quoted), as: user, seconds: 10)
                    : server.attach(texts[0], as: user, seconds: 10)
                note(answer, passes, user)
            } catch {
                if untilFault { return }
            }
        }
    }

    private func note(_ answer: EndToEndAnswer, _ passes: [SimulatedTransaction], _ user: String) {
        switch answer.status {
        case 200:
            #expect(answer.string("outcome") == "attached" || answer.integer("summary.attached") == 4)
            state.withLock { state in
                for pass in passes { state.acknowledged[pass.transactionId] = user }
            }
        case 503: state.withLock { $0.refusals += 1 }
        default: Issue.record("\(answer.status): \(answer.text)")
        }
    }

    /// Every acknowledged purchase is its user's, with one state, and nothing stands twice. Throws what the database
    /// throws.
    func expectKept() async throws {
        try await expectKept(in: servers[0].schema)
    }

    /// The same of a schema on another node. Throws what the database throws.
    func expectKept(in schema: TestSchema) async throws {
        let rows = try await schema.rows(
            """
            SELECT p.external_id, u.user_id, COUNT(*) FROM purchases p JOIN users u ON u.pseudonym = p.user_id
            JOIN apple_iap_transactions t ON t.purchase_id = p.id GROUP BY p.id
            """)
        let kept = Dictionary(rows.map { ($0[0], Array($0[1...])) }, uniquingKeysWith: { first, _ in first })
        let acknowledged = acknowledged
        #expect(!acknowledged.isEmpty)
        for (id, user) in acknowledged {
            #expect(kept[.text(id)] == [.text(user), 1], "\(id)")
        }
        #expect(rows.count == kept.count)
        try await EndToEnd.expectOnceEach(schema)
    }
}
