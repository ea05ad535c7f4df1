import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore
import StoreSimulator

/// The customers of a new development installation, so that its dashboard has something to show.
///
/// The installation's clock begins half a year ago. Apps attach, stores notify and plans renew over HTTP, as they do
/// for real customers, and the clock goes on from one happening to the next. At the end it shows the real time.
struct Customers {
    /// The time by which the clock of the installation is behind at first, in milliseconds.
    static let past = 180 * Instant.millisecondsPerDay

    let installation: Installation
    let simulated: SimulatedStore
    let server: RunningServer
    let store: Store
    let catalogue: Catalogue
    let authority: DevelopmentAuthority

    /// Plays all stories from where the clock is. Whatever fails, it shows the real time afterwards. Throws if the
    /// server refuses something, or an error of the file system.
    func play() async throws {
        let played: Result<Void, any Error>
        do {
            for step in script.sorted(by: { $0.daysAgo > $1.daysAgo }) {
                let lead = -Int64(step.daysAgo * Double(Instant.millisecondsPerDay))
                guard lead >= simulated.lead else { continue }
                try await wait(untilLead: lead)
                try await step.happen()
            }
            played = .success(())
        } catch {
            played = .failure(error)
        }
        try await wait(untilLead: 0)
        try played.get()
    }

    private func wait(untilLead lead: Int64) async throws {
        _ = try await simulated.advance(by: lead - simulated.lead, within: .seconds(20))
    }

    var now: Int64 { simulated.now.milliseconds }

    // MARK: The App Store

    /// The user buys something with their own Apple account, or with that of `account`. The app attaches it `late` days
    /// afterwards.
    func buy(
        _ product: Product, by user: String, in environment: StoreEnvironment = .production, late days: Int64 = 0,
        withAccountOf account: String? = nil
    ) async throws {
        try await attach(try sold(product, to: user, in: environment, late: days, account).transaction, by: user)
    }

    /// Somebody buys something outside the app, so Apple's notification names no user.
    func buyUnnamed(_ product: Product) async throws {
        try await notify(
            of: .oneTimeCharge(try sold(product, to: "somebody", in: .production, late: 0, nil).transaction))
    }

    private func sold(
        _ product: Product, to user: String, in environment: StoreEnvironment, late days: Int64, _ account: String?
    ) throws -> SoldPurchase {
        let boughtAt = now - days * Instant.millisecondsPerDay
        let type: ProductType =
            switch product.terms.kind {
            case .pass, .plan: .nonRenewingSubscription
            case .addOn: .nonConsumable
            case .consumable: .consumable
            }
        let sold = SoldPurchase(
            transactionID: SoldPurchase.newTransactionID(), user: user, product: product.id.text, type: type.rawValue,
            bundleID: product.app.text, purchasedAt: boughtAt, quantity: 1, environment: environment.rawValue,
            appleAccount: account, accountToken: nil, signedAt: now, delivered: true)
        try sold.keep(in: installation)
        return sold
    }

    /// Apple refunds a purchase of the user; `number` counts from 1.
    func refund(purchase number: Int, of user: String) async throws {
        var sold = try purchase(number, of: user)
        sold.revocation = .init(date: now, percentage: 100_000)
        sold.signedAt = now
        try sold.keep(in: installation)
        try await notify(of: SimulatedEvent(.refund, about: sold.transaction))
    }

    /// Apple signs a second text about a purchase, at the same instant, which says otherwise.
    func contradict(purchase number: Int, of user: String) async throws {
        var transaction = try purchase(number, of: user).transaction
        transaction.quantity = 2
        try await attach(transaction, by: user)
    }

    private func purchase(_ number: Int, of user: String) throws -> SoldPurchase {
        try SoldPurchase.all(in: installation).filter { $0.user == user }
            .sorted { $0.transactionID < $1.transactionID }[number - 1]
    }

    /// The user subscribes to a plan; a family member's copy has `isShared`. The store renews it from then on.
    func subscribe(
        _ user: String, to product: Product, days: Int? = nil, isShared: Bool = false
    ) async throws {
        let plan = try PlanOnSale(product.id.text, in: catalogue)
        let buyer = SimulatedSubscription.Buyer(
            bundleId: product.app.text, subscriptionGroup: PlanOnSale.group, environment: .production,
            appTransactionId: SoldPurchase.appTransactionID(of: user), isFamilyMember: isShared)
        let (subscription, event) = SimulatedSubscription.begin(
            plan.order(from: now, days: days), by: buyer, at: now)
        if let transaction = event.transaction { try await attach(transaction, by: user) }
        try await notify(of: event)
        try KeptSubscription(user: user, days: days, subscription: subscription).keep(in: installation)
    }

    /// The charge for the next period of the user's plan fails, with days of grace.
    func failBilling(of user: String, graceDays: Int64) async throws {
        try await change(user) {
            try $0.failBilling(graceUntil: now + graceDays * Instant.millisecondsPerDay, at: now)
        }
    }

    /// The user switches the renewal of their plan off.
    func cancel(_ user: String) async throws { try await change(user) { try $0.cancel(at: now) } }

    private func change(
        _ user: String, _ act: (inout SimulatedSubscription) throws -> SimulatedEvent
    ) async throws {
        guard var kept = try KeptSubscription.find(nil, of: user, in: installation) else { return }
        try await notify(of: try act(&kept.subscription))
        try kept.keep(in: installation)
    }

    private func attach(_ transaction: SimulatedTransaction, by user: String) async throws {
        guard let user = UserID(user) else { return }
        _ = try await server.attach(try authority.sign(transaction).text, as: user).required()
    }

    private func notify(of event: SimulatedEvent) async throws {
        let notification = try event.notification(
            uuid: Surroundings.accountToken().description.lowercased(),
            appAppleId: catalogue.apps.first { $0.id.text == event.bundleId }?.appleID, signedBy: authority)
        _ = try await server.notify(try authority.sign(notification).text).required()
    }

    // MARK: Cards and operators

    /// The user pays for a plan by card; `isNamed` is false after a payment link that names nobody.
    func pay(for product: Product, by user: String, isNamed: Bool = true) async throws {
        let goods = try CardGoods(product.id.text, in: catalogue)
        let seconds = now / 1_000
        let account = CardAccount(.new, tag: String(Surroundings.id().prefix(14)), isLive: true)
        let (sale, events) =
            goods.isPlan
            ? SimulatedCardSale.subscribe(
                to: goods.name, by: user, isNamed: isNamed, until: goods.end(from: seconds, days: nil), isTrial: false,
                at: seconds, of: account)
            : SimulatedCardSale.pay(goods.name, by: user, isNamed: isNamed, at: seconds, to: account)
        let secret = try installation.cardSecret()
        for event in events {
            let header = event.header(secret, at: Surroundings.now().milliseconds / 1_000)
            _ = try await server.notifyOfCards(event.body, signature: header).required()
        }
        try KeptCardSale(days: nil, number: Surroundings.now().milliseconds, sale: sale).keep(in: installation)
    }

    /// An operator gives something, for a reason.
    func give(_ offer: OperatorAct.Offer, to user: String, because reason: String) async throws {
        guard let principal = principal(user) else { return }
        _ = try await store.ledger.record(
            principal.give(offer, as: ExternalID(Surroundings.id()), reason: reason, reference: "demo"))
    }

    /// The app spends credits of the user.
    func spend(_ amount: Int, _ unit: String, of user: String) async throws {
        guard let principal = principal(user), let amount = CreditAmount(amount) else { return }
        let key = store.labels.label(.idempotencyKey, user, Surroundings.id())
        let draw = CreditDraw(amount, from: Purse(unit: unit, environment: .production), key: key)
        _ = try await store.ledger.record(
            principal.spend(draw, reference: "demo", reason: "used", under: store.labels))
    }

    /// The user registers a device.
    func register(_ device: String, named name: String, of user: String) async throws {
        guard let principal = principal(user), let id = DeviceID(device) else { return }
        _ = try await store.ledger.record(
            principal.registerDevice(
                id, named: DeviceName(name), isPinned: nil, reason: nil, under: store.labels))
    }

    private func principal(_ user: String) -> Principal? {
        UserID(user).map { Principal(user: $0, actor: .commandLine) }
    }
}
