import AppStore
import Entitlements
import Foundation
import StoreSimulator

/// The story of one customer's plan through ten months or a year of the server's clock. Each scene has an event and the
/// server's answer to it.
struct PlanStory {
    /// A step of the story.
    private enum Step: Sendable {
        /// The clock goes forward; the store does what falls due meanwhile.
        case days(Int)
        /// The clock goes forward to one minute before the period ends, so that the next act comes within the period.
        case untilEnd
        /// The clock goes forward to one day after the period ends, and this is repeated `count` times.
        case periods(Int)
        case act(String, Act)
    }

    /// An act of the customer or of Apple, at an instant in milliseconds since the epoch.
    private typealias Act =
        @Sendable (
            _ story: inout SimulatedSubscription, _ at: Int64, _ plan: PlanOnSale
        ) throws -> SimulatedEvent

    private static let trial = SimulatedOffer.freeTrial(of: "P1W")
    private static let second: Int64 = 1_000
    private static let minute = 60 * second

    private let user: UserID
    private let plan: PlanOnSale
    private let catalogue: Catalogue
    private let installation: Installation
    private let server: RunningServer
    private let authority: DevelopmentAuthority
    private let byNotification: Bool

    /// Throws if the catalogue has no such plan, and `RunningServer.Failure` if no server runs.
    init(
        of planID: String, for user: UserID, byNotification: Bool, in catalogue: Catalogue,
        on installation: Installation
    ) throws {
        self.user = user
        self.byNotification = byNotification
        self.catalogue = catalogue
        self.installation = installation
        plan = try PlanOnSale(planID: planID, in: catalogue)
        server = try RunningServer(on: installation)
        authority = try installation.authority()
    }

    /// Plays the story. Throws if the server refuses an event, and if the customer already had a subscription.
    func play() async throws -> [StoryScene] {
        var scenes = [try await subscribe()]
        for step in plan.isAnnual ? Self.annual : Self.monthly {
            switch step {
            case .days(let days): scenes += try await wait(Int64(days) * Instant.millisecondsPerDay)
            case .untilEnd: scenes += try await wait(untilEnd() - Self.minute)
            case .periods(let count):
                for _ in 0..<count { scenes += try await wait(untilEnd() + Instant.millisecondsPerDay) }
            case .act(let words, let act): scenes.append(try await perform(words, act))
            }
        }
        return scenes
    }

    private static let annual: [Step] = [
        .days(100), .act("renewal is off", { story, at, _ in try story.cancel(at: at) }),
        .days(7), .act("renewal is on again", { story, at, _ in try story.enable(at: at) }),
        .days(200),
        .act("a higher price awaits consent") { story, at, plan in
            try story.increasePrice(to: plan.price + 1_000, isAccepted: false, at: at)
        },
        .days(14),
        .act("the higher price is accepted") { story, at, _ in
            try story.increasePrice(isAccepted: true, at: at)
        },
        .untilEnd,
        .act("billing failed") { story, at, _ in
            try story.failBilling(graceUntil: at + 16 * Instant.millisecondsPerDay, at: at)
        },
        .days(6), .act("recovered", recover),
        .days(3), .act("refunded") { story, at, _ in try story.refund(at: at) },
        .days(2), .act("the refund was undone") { story, at, _ in try story.reverseRefund(at: at) },
    ]

    private static let monthly: [Step] = [
        .periods(2),
        .untilEnd, .act("billing failed, without grace") { story, at, _ in try story.failBilling(at: at) },
        .days(4), .act("recovered", recover),
        .periods(1), .act("refunded") { story, at, _ in try story.refund(at: at) },
        .days(1), .act("the refund was undone") { story, at, _ in try story.reverseRefund(at: at) },
        .periods(5), .act("renewal is off", { story, at, _ in try story.cancel(at: at) }), .periods(1),
    ]

    @Sendable private static func recover(
        _ story: inout SimulatedSubscription, at: Int64, plan: PlanOnSale
    ) throws -> SimulatedEvent {
        let order = plan.order(from: story.recoversFrom(at: at), days: nil)
        return try story.recover(as: order.transactionId, until: order.expiresDate, at: at)
    }

    private func subscribe() async throws -> StoryScene {
        guard try KeptSubscription.find(nil, of: user.text, in: installation) == nil else {
            throw SimulatedSale.Failure(description: "\(user.text) was subscribed before: name another --user")
        }
        let at = installation.clock.now().milliseconds
        let customer = SimulatedSubscription.Buyer(
            bundleId: plan.app.id.text, subscriptionGroup: PlanOnSale.group,
            appAccountToken: byNotification ? try await server.accountToken(of: user) : nil,
            appTransactionId: SoldPurchase.appTransactionID(of: user.text))
        let (subscription, event) = SimulatedSubscription.begin(
            plan.order(from: at, days: nil, offer: plan.isAnnual ? nil : Self.trial), by: customer, at: at)
        if !byNotification, let transaction = event.transaction {
            _ = try await server.attach(authority.sign(transaction).text, as: user).required()
        }
        return try await tell(
            "subscribed", event, of: KeptSubscription(user: user.text, days: nil, subscription: subscription))
    }

    private func perform(_ words: String, _ act: Act) async throws -> StoryScene {
        var kept = try kept()
        let event = try act(&kept.subscription, installation.clock.now().milliseconds, plan)
        return try await tell(words, event, of: kept)
    }

    private func tell(_ words: String, _ event: SimulatedEvent, of kept: KeptSubscription) async throws -> StoryScene {
        let notification = try event.notification(
            uuid: Surroundings.accountToken().description.lowercased(), appAppleId: plan.app.appleID,
            signedBy: authority)
        let answer = try await server.notify(authority.sign(notification).text).required()
        try kept.keep(in: installation)
        return try await scene(words, result: answer.code ?? "")
    }

    /// The time until the newest period ends, in milliseconds.
    private func untilEnd() throws -> Int64 {
        try kept().subscription.newest.expiresDate - installation.clock.now().milliseconds
    }

    /// Puts the clock forward. Each event of the plan on the way becomes a scene.
    private func wait(_ milliseconds: Int64) async throws -> [StoryScene] {
        var scenes: [StoryScene] = []
        let end = installation.clock.now() + milliseconds
        while true {
            let turnsAt = try kept().subscription.nextTurn?.at ?? .max
            let isTurn = turnsAt > installation.clock.now().milliseconds && turnsAt <= end.milliseconds
            let stop = isTurn ? turnsAt : end.milliseconds
            let seconds = (stop - installation.clock.now().milliseconds + Self.second - 1) / Self.second
            guard seconds > 0 else { return scenes }
            try await server.advanceClock(by: "\(seconds)s") { answer in
                let mine = ClockHappening.all(in: answer).filter { $0.event.hasPrefix("\(user.text): ") }
                for happening in mine {
                    let words = String(happening.event.dropFirst(user.text.count + 2))
                    scenes.append(try await scene(words, result: happening.result))
                }
            }
            guard isTurn else { return scenes }
        }
    }

    private func scene(_ words: String, result: String) async throws -> StoryScene {
        StoryScene(
            at: installation.clock.now(), event: words, result: result,
            subscription: try await server.subscription(of: user).required().members)
    }

    private func kept() throws -> KeptSubscription {
        try SimulatedSale.subscription(nil, of: user.text, in: installation)
    }
}
