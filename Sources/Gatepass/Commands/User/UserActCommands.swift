import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass user revoke`: takes a purchase or a grant back, from now on and for good.
struct UserRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a purchase or a grant back, from now on and for good.",
        discussion: "For example: gatepass user revoke anna --purchase 2000000812345678 --reason chargeback")

    @OptionGroup var act: ActOptions

    @OptionGroup var named: PurchaseOptions

    @Option(help: "The grant's id, in place of a purchase.")
    var grant: String?

    /// Throws `ValidationError` unless either a purchase or a grant is named.
    func validate() throws {
        guard (named.purchase == nil) != (grant == nil) else { throw ValidationError("name --purchase or --grant") }
    }

    /// Throws the exit status 1 if the act is refused or the database cannot be reached.
    func run() async throws {
        let reason = act.reason
        if let id = grant.map({ ExternalID($0) }) {
            return try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, _ in
                principal.withdrawGrant(id, reason: reason)
            } saying: { instant in
                "the grant \(id.text) is taken back since \(RFC3339.text(of: instant))"
            } json: { reply, _ in
                ActReply.revoked(grant: id, at: reply)
            }
        }
        guard let name = named.name else { return }
        try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, store in
            let key = try await store.purchase(name, of: principal.user)
                .mapError { RefusedAct(Problem($0)) }.get()
            return principal.withdrawPurchase(key, reason: reason).deciding { decision, _ in
                decision.mapReply { (key: key, taken: $0) }
            }
        } saying: { reply in
            "the purchase \(reply.key.externalID.text) is taken back since \(RFC3339.text(of: reply.taken.at))"
                + (reply.taken.takesRenewals ? ", later renewals too" : "")
        } json: { reply, _ in
            ActReply.revoked(reply.key, reply.taken)
        }
    }
}

/// `gatepass user bind`: gives the user a purchase that nobody has.
struct UserBindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bind", abstract: "Give a user a recorded purchase that nobody has.",
        discussion: "For example: gatepass user bind anna --purchase 2000000812345678 --reason ticket-4711")

    @OptionGroup var act: ActOptions

    @OptionGroup var named: PurchaseOptions

    /// Throws `ValidationError` unless a purchase is named.
    func validate() throws {
        guard named.purchase != nil else { throw ValidationError("name the purchase with --purchase") }
    }

    /// Throws the exit status 1 if the act is refused or the database cannot be reached.
    func run() async throws {
        guard let name = named.name else { return }
        let (reason, user) = (act.reason, try act.about.id())
        try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, store in
            principal.bind(
                try await store.purchase(name).mapError { RefusedAct(Problem($0)) }.get(), reason: reason)
        } saying: {
            "the purchase \($0.externalID.text) is \(user)'s"
        } json: { reply, _ in
            ActReply.bound(reply, to: user)
        }
    }
}

/// `gatepass user transfer`: moves the rest of one purchase, or of all, to another user.
struct UserTransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "Move the rest of one purchase, or of all, to another user.",
        discussion: """
            For example: gatepass user transfer anna --purchase 2000000812345678 --to ben \
            --reason ticket-4711
            """)

    @OptionGroup var act: ActOptions

    @OptionGroup var named: PurchaseOptions

    @Flag(help: "Move all that the user has.")
    var all = false

    @Option(help: "The user who gets it; they need not have been seen before.")
    var to: String

    /// Throws `ValidationError` unless either a purchase or `--all` is named, and a receiver.
    func validate() throws {
        guard (named.purchase != nil) != all else { throw ValidationError("name --purchase or --all") }
        guard UserID(to) != nil else { throw ValidationError("\(to) is no user id") }
    }

    /// Throws the exit status 1 if the act is refused or the database cannot be reached.
    func run() async throws {
        guard let receiver = UserID(to) else { return }
        let (reason, selection) = (act.reason, named.name.map { OperatorAct.Selection.one($0) } ?? .all)
        try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, _ in
            principal.transfer(selection, to: receiver, request: nil, reason: reason)
        } saying: {
            Self.sentence($0, to: receiver)
        } json: { reply, _ in
            ActReply.moved(reply, to: receiver)
        }
    }

    static func sentence(_ keys: [PurchaseKey], to user: UserID) -> String {
        keys.isEmpty
            ? "nothing goes over to \(user)"
            : "to \(user) go over: " + keys.map(\.externalID.text).joined(separator: ", ")
    }
}

/// `gatepass user merge`: moves everything of a guest to the user.
struct UserMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Move everything of a guest's account to a user.",
        discussion: "For example: gatepass user merge anna --from guest-17 --reason signed-up")

    @OptionGroup var act: ActOptions

    @Option(name: .customLong("from"), help: "The guest.")
    var guest: String

    /// Throws `ValidationError` unless the guest is a user id.
    func validate() throws {
        guard UserID(guest) != nil else { throw ValidationError("\(guest) is no user id") }
    }

    /// Throws the exit status 1 if the act is refused or the database cannot be reached.
    func run() async throws {
        guard let guest = UserID(guest) else { return }
        let (reason, user) = (act.reason, try act.about.id())
        try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, store in
            principal.merge(guest, request: nil, reason: reason, under: store.labels)
        } saying: {
            UserTransferCommand.sentence($0, to: user)
        } json: { reply, _ in
            ActReply.moved(reply, to: user)
        }
    }
}

/// `gatepass user sign-out`: ends what was issued to the user's Apple accounts, and what their texts were good for.
struct UserSignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Sign out the Apple accounts that stand for a user, on every device.",
        discussion: "For example: gatepass user sign-out apple-9fJpKd4gYx0R8mA1cQ2vTw --reason lost-phone")

    @OptionGroup var act: ActOptions

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let (reason, user) = (act.reason, try act.about.id())
        try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, store in
            principal.signOut(reason: reason, under: store.labels)
        } saying: { signedOut in
            guard signedOut.accounts > 0 else {
                return "no Apple account stands for \(user): end the sign-in where the app's own login is"
            }
            return "tokens and texts of \(signedOut.accounts.counted("Apple account")) from before "
                + "\(RFC3339.text(of: signedOut.at)) sign nobody in as \(user) any more"
        } json: { reply, _ in
            ActReply.signedOut(user, reply)
        }
    }
}

/// `gatepass user tester`: puts the user on the list of sandbox testers, or takes them off.
struct UserTesterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tester", abstract: "Put a user on the list of sandbox testers, or take them off.",
        discussion: "For example: gatepass user tester reviewer --reason app-review")

    @OptionGroup var act: ActOptions

    @Flag(help: "Take the user off the list.")
    var off = false

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let (reason, isTester, user) = (act.reason, !off, try act.about.id())
        try await act.about.perform(act.output, refusing: { RefusedAct(Problem($0)) }) { principal, _ in
            principal.nameSandboxTester(isTester, reason: reason)
        } saying: {
            "\(user) is \($0 ? "a" : "no") sandbox tester"
        } json: { reply, _ in
            ActReply.sandboxTester(reply)
        }
    }
}
