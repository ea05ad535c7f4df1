import Entitlements
import StoreSimulator

/// The stories of the simulated card account. It signs events with the installation's endpoint secret.
extension Simulation {
    /// Plays a payment by card. Throws if the catalogue does not sell the product by card, and the exit status 1 if the
    /// server refuses an event.
    func checkOut() async throws {
        let goods = try CardGoods(options.product, in: try catalogue())
        let (seconds, days, isNamed) = (at / 1_000, options.days, !has(.unnamed))
        let account = CardAccount(
            has(.oldShape) ? .old : .new, tag: String(Surroundings.id().prefix(14)),
            isLive: try environment() == .production)
        try await reporting {
            let (sale, events) =
                goods.isPlan
                ? SimulatedCardSale.subscribe(
                    to: goods.name, by: user, isNamed: isNamed, until: goods.end(from: seconds, days: days),
                    isTrial: has(.trial), at: seconds, of: account)
                : SimulatedCardSale.pay(goods.name, by: user, isNamed: isNamed, at: seconds, to: account)
            let kept = KeptCardSale(days: days, number: Surroundings.now().milliseconds, sale: sale)
            try await tell("\(user) paid for \(goods.product) by card", events, of: kept)
        }
    }

    /// Applies `act` to the user's newest sale and delivers its events. Throws the exit status 1 if `act` does not fit
    /// the sale or the server refuses an event.
    func charge(
        _ words: String,
        _ act: (_ kept: inout KeptCardSale, _ goods: CardGoods, _ seconds: Int64) throws -> [CardAccount.Event]
    ) async throws {
        let catalogue = try catalogue()
        try await reporting {
            var kept = try KeptCardSale.newest(of: user, in: installation)
            let goods = try CardGoods(named: kept.sale.name, in: catalogue)
            let events = try act(&kept, goods, at / 1_000)
            try await tell("\(words) \(goods.product)", events, of: kept)
        }
    }

    /// Tells the card events of a story: under `--print` they are printed, otherwise they are delivered to the server,
    /// and its answers and the user's status are printed after `words`.
    ///
    /// The sale is stored afterwards, unless the server refuses an event: then this throws `RunningServer.Failure` and
    /// the stored sale stays unchanged.
    private func tell(_ words: String, _ events: [CardAccount.Event], of kept: KeptCardSale) async throws {
        guard !has(.print) else {
            try kept.keep(in: installation)
            return events.forEach { print($0.body) }
        }
        let secret = try installation.cardSecret()
        let server = try RunningServer(on: installation)
        var answers: [RunningServer.Answer] = []
        for event in has(.reversed) ? events.reversed() : events {
            for _ in 0..<(has(.twice) ? 2 : 1) {
                let now = Surroundings.now().milliseconds / 1_000  // the age of a signature is real
                answers.append(
                    try await server.notifyOfCards(event.body, signature: event.header(secret, at: now)).required())
            }
        }
        try kept.keep(in: installation)
        let user = try userID()
        let status = try await server.status(of: user)
        guard has(.json) else {
            print("\(words): \(answers.map { $0.code ?? "\($0.status)" }.joined(separator: ", "))")
            return print(StatusLine(of: user, status).text)
        }
        print(
            try JSONText.pretty([
                "events": events.map(\.id), "answers": answers.map(\.members), "user_status": status.members,
            ]))
    }
}
