import AppStore
import ArgumentParser
import Entitlements
import Foundation
import StoreSimulator

/// Writes notifications as the App Store would deliver them, one signed text a line, each about another user.
///
/// The account token contains the user's number in the legacy form. So the server finds the owner of a purchase even if
/// it has never seen the user.
struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Writes signed notifications, one a line.")

    /// The event that the notifications report.
    enum Event: String, ExpressibleByArgument, CaseIterable {
        /// A pass was bought.
        case charge
        /// A plan was bought.
        case subscription
        /// The plan of a `subscription` notification with the same number and instant renewed.
        case renewal
    }

    @Option(help: "Where the signing authority is kept; made if it is not there.")
    var authority: String

    @Option(help: "The file to write.")
    var output: String

    @Option(help: "How many notifications.")
    var count: Int

    @Option(help: "The number of the first user.")
    var first: Int

    @Option(help: "What is told: charge, subscription or renewal.")
    var event: Event

    @Option(help: "When it happened, in milliseconds since the epoch.")
    var at: Int64

    @Flag(help: "Sign each with a leaf below an intermediate that signed nothing before.")
    var freshChains = false

    /// - Throws: An error of the file system.
    func run() async throws {
        let kept = try AuthorityDirectory(path: authority).authority()
        let period = AuthorityDirectory.period(around: at)
        let texts = try (first..<first + count).map { number in
            let signer = freshChains ? try kept.descendant(validFor: period) : kept
            let notification = try told(of: number).notification(
                uuid: UUID().uuidString.lowercased(), appAppleId: Sale.appAppleID, signedBy: signer)
            return try signer.sign(notification).text
        }
        try Data(texts.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: output))
    }

    /// The event about the user with this number.
    ///
    /// - Throws: Nothing, because each plan fits its renewal.
    private func told(of number: Int) throws -> SimulatedEvent {
        let token = Self.legacyToken(of: number)
        switch event {
        case .charge:
            var pass = Sale.transaction(number: number, place: number, daysAgo: 0, account: number, at: at)
            pass.appAccountToken = token
            return .oneTimeCharge(pass)
        case .subscription: return try Sale.renewedPlan(number: number, token: token, at: at).begun
        case .renewal: return try Sale.renewedPlan(number: number, token: token, at: at).renewed
        }
    }

    private static func legacyToken(of number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + "-0000-0000-0000-000000000000"
    }
}
