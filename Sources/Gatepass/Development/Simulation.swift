import AppStore
import ArgumentParser
import EntitlementAPI
import Entitlements
import Foundation
import StoreSimulator

/// A run of `gatepass simulate`: its options, and the installation on which its story is played.
struct Simulation {
    let options: StoryOptions
    /// The last word of the command, such as the type in `notify TYPE`.
    let subject: String
    let installation: Installation
    /// The instant of the story, in milliseconds since the epoch.
    let at: Int64

    var user: String { options.user ?? "alice" }
    var route: EventDelivery.Route { has(.byApp) ? .app : .notification }

    /// Throws if `--at` is no instant.
    init(_ options: StoryOptions, about subject: String) throws {
        self.options = options
        self.subject = subject
        installation = options.installation.installation
        let instant = options.at.map(RFC3339.instant) ?? installation.clock.now()
        guard let instant else { throw ValidationError("--at \(options.at ?? "") is not RFC 3339 in UTC") }
        at = instant.milliseconds
    }

    func has(_ flag: StoryFlag) -> Bool { options.flags.contains(flag) }

    /// The id of `--user`. Throws if it is no user id.
    func userID() throws -> UserID {
        guard let user = UserID(user) else { throw ValidationError("--user \(user) is no user id") }
        return user
    }

    /// The environment of `--environment`. Throws if there is no such environment.
    func environment() throws -> StoreEnvironment {
        let text = options.environment ?? StoreEnvironment.sandbox.rawValue
        guard let environment = StoreEnvironment(rawValue: text) else {
            throw ValidationError("--environment \(text): write Sandbox or Production")
        }
        return environment
    }

    /// The plan of `--to`. Throws if it is not given.
    func target() throws -> String {
        guard let target = options.target else { throw ValidationError("name the plan with --to") }
        return target
    }

    /// Reads the catalogue, and no settings, because a story is about the installation whatever they say. Throws the
    /// exit status 1 if it has a fault.
    func catalogue() throws -> Catalogue {
        let command = options.installation.options
        return try Startup.reporting {
            try CatalogueLocation.load(
                explicit: command.catalogue, environment: ProcessInfo.processInfo.environment,
                lookup: .ofProcess().around(config: command.config)
            ).catalogue
        }
    }

    /// Runs `body`, prints its error and throws the exit status 1 in its place. A missing installation is reported in
    /// the same way. If `body` tells the server, the server is named first on the standard error stream.
    func reporting(tellsServer: Bool = true, _ body: () async throws -> Void) async throws {
        try await Startup.reporting {
            try installation.requireMade()
            if tellsServer, !has(.print), installation.runningAddress != nil {
                StandardError.print(Target.line(of: installation))
            }
            try await body()
        }
    }

    /// Prints a signed app transaction, which attach and restore take as proof of the user's Apple account. Throws if
    /// the catalogue does not have the app.
    func appTransaction() async throws {
        let apps = try catalogue().apps
        guard let app = apps.first(where: { options.app == nil || $0.id.text == options.app }) else {
            let names = apps.map(\.id.text).joined(separator: ", ")
            throw ValidationError("--app \(options.app ?? ""): write one of \(names)")
        }
        var transaction = SimulatedAppTransaction(bundleId: app.id.text, at: at)
        transaction.environment = try environment()
        transaction.appAppleId = transaction.environment == .production ? app.appleID : nil
        transaction.appTransactionId = SoldPurchase.appTransactionID(of: user)
        try await reporting(tellsServer: false) { print(try installation.authority().sign(transaction).text) }
    }

    /// Delivers the notifications that were held back. Throws the exit status 1 if no server runs.
    func deliverHeld() async throws {
        try await reporting {
            let server = try RunningServer(on: installation)
            let held = try KeptDelivery.all(in: installation).filter { $0.dueAt == nil }
            for delivery in has(.newestFirst) ? held.reversed() : held {
                let answer = try await delivery.attempt(on: server, at: installation.clock.now())
                print("\(delivery.words): \(answer.words)")
            }
            if held.isEmpty { print("No notification is held back.") }
        }
    }

    /// Plays a year of a plan. Throws if there is no such story, and the exit status 1 if no server runs or the
    /// catalogue has no such plan.
    func year() async throws {
        let suffix = "_year"
        guard ["annual_3", "monthly_1"].contains(where: { $0 + suffix == subject }) else {
            throw ValidationError("story \(subject): write annual_3_year or monthly_1_year")
        }
        let text = options.user ?? "story-\(Surroundings.id().prefix(8))"
        guard let user = UserID(text) else { throw ValidationError("--user \(text) is no user id") }
        let catalogue = try catalogue()
        try await reporting {
            let scenes = try await PlanStory(
                of: String(subject.dropLast(suffix.count)), for: user, byNotification: has(.byNotification),
                in: catalogue, on: installation
            ).play()
            print(try has(.json) ? JSONText.pretty(scenes.map(\.document)) : StoryScene.table(of: scenes))
        }
    }
}

/// JSON text that people and scripts can read.
enum JSONText {
    /// Writes indented JSON with sorted names. Throws for values that JSON does not have.
    static func pretty(_ document: Any) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys]),
            as: UTF8.self)
    }
}
