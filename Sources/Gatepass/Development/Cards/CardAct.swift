import Entitlements
import StoreSimulator

/// Something that happens to what the simulated card account sold.
struct CardAct {
    let options: CardOptions
    let catalogue: Catalogue
    /// Since the epoch.
    let seconds: Int64

    /// Throws when `--at` is no instant, and the exit status 1 for a faulty catalogue.
    init(_ options: CardOptions) throws {
        self.options = options
        seconds = try options.simulation.instant() / 1_000
        catalogue = try Startup(options.simulation.options).catalogueFile().catalogue
    }

    /// Lets `act` happen to the user's newest sale and tells of it. Throws the exit status 1 when it does not fit or
    /// the server refuses.
    func perform(
        _ words: String,
        _ act: (_ kept: inout KeptCardSale, _ goods: CardGoods, _ seconds: Int64) throws -> [CardAccount.Event]
    ) async throws {
        try await Startup.reporting {
            let installation = Installation(path: options.simulation.installation.dataDir)
            try installation.requireMade()
            var kept = try KeptCardSale.newest(of: options.simulation.user, in: installation)
            let goods = try CardGoods(named: kept.sale.name, in: catalogue)
            let events = try act(&kept, goods, seconds)
            try await tell("\(words) \(goods.product)", events, of: kept)
        }
    }

    /// Prints the events, or delivers them and prints what the server answered and what the user now has. What is
    /// printed or was taken is kept; what the server refused did not happen. Throws `RunningServer.Failure` when it
    /// refuses.
    func tell(_ words: String, _ events: [CardAccount.Event], of kept: KeptCardSale) async throws {
        let installation = Installation(path: options.simulation.installation.dataDir)
        try installation.requireMade()
        guard !options.simulation.printsOnly else {
            try kept.keep(in: installation)
            return events.forEach { print($0.body) }
        }
        let secret = try installation.cardSecret()
        let server = try RunningServer(on: installation)
        var answers: [RunningServer.Answer] = []
        for event in options.reversed ? events.reversed() : events {
            for _ in 0..<(options.twice ? 2 : 1) {
                let now = Surroundings.now().milliseconds / 1_000  // the age of a signature is real
                answers.append(
                    try await server.notifyOfCards(event.body, signature: event.header(secret, at: now)).required())
            }
        }
        try kept.keep(in: installation)
        let user = try options.simulation.userID()
        let status = try await server.status(of: user)
        guard options.simulation.json else {
            print("\(words): \(answers.map { $0.code ?? "\($0.status)" }.joined(separator: ", "))")
            return print(StandingSummary(of: user, status).text)
        }
        print(
            try JSONText.pretty([
                "events": events.map(\.id), "answers": answers.map(\.members), "user_status": status.members,
            ]))
    }
}
