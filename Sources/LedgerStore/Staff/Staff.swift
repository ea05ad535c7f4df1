import Crypto
package import Entitlements
package import MariaDB

/// The people who use the dashboard, and how they sign in (`api.md`, "Staff").
///
/// All of it stands in the database, so that several instances agree: a session ends on all of them at once. Tokens and
/// links are found by their digests, and stored nowhere else.
package struct Staff: Sendable {
    /// The time for which a link sets a password, in milliseconds.
    package static let linkLife = Instant.millisecondsPerDay
    /// The most people that a list names.
    package static let longestList = 1_000
    /// The shortest time between two writes of a session's use, in milliseconds.
    private static let touchInterval: Int64 = 60_000
    /// The shortest time between two entries about slowed tries at one account, in milliseconds.
    private static let slowedInterval = Instant.millisecondsPerHour

    let pool: Pool
    private let audit: AuditTrail
    private let labels: Labels?
    let now: @Sendable () -> Instant

    /// - Parameters:
    ///   - labels: Makes the labels of tries. Without it nobody can sign in, which commands do not need.
    ///   - now: Real time, because sign-ins are not of the test clock.
    package init(pool: Pool, audit: AuditTrail, labels: Labels?, now: @escaping @Sendable () -> Instant) {
        self.pool = pool
        self.audit = audit
        self.labels = labels
        self.now = now
    }

    /// The digest by which a token or a link is found.
    private static func digest(of token: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: token)) }
}

// MARK: People

extension Staff {
    /// Adds a person, who sets a password with `link`. Nil if the name is taken. Throws when the database is away.
    package func create(
        _ request: StaffRequest, link: [UInt8], by actor: Actor, reason: String?
    ) async throws(ServiceFailure) -> StaffMember? {
        let (hash, now) = (Self.digest(of: link), now())
        return try await pool.commit { (session) throws(DatabaseError) -> StaffMember? in
            // If the connection broke at COMMIT, the person may be stored already; the link finds them.
            if let earlier = try StaffRow.find(link: hash, at: now, in: session) { return earlier }
            guard try StaffRow.insert(request, link: hash, until: now + Self.linkLife, at: now, in: session),
                let member = try StaffRow.find(request.name, in: session)?.member
            else { return nil }
            try enter(.createStaff, member, ["role": member.role.rawValue], by: actor, reason, at: now, in: session)
            return member
        }
    }

    /// All people, in the order of their numbers. Throws when the database is away.
    package func list() async throws(ServiceFailure) -> [StaffMember] {
        try await pool.ask { (session) throws(DatabaseError) in
            try StaffRow.list(limit: Self.longestList, in: session)
        }
    }

    /// The person with this name; nil if there is none. Throws when the database is away.
    package func member(named name: String) async throws(ServiceFailure) -> StaffMember? {
        try await pool.ask { (session) throws(DatabaseError) in try StaffRow.find(name, in: session)?.member }
    }

    /// The names of people by their numbers. Throws when the database is away.
    package func names(of ids: Set<UInt64>) async throws(ServiceFailure) -> [UInt64: String] {
        guard !ids.isEmpty else { return [:] }
        return try await pool.ask { (session) throws(DatabaseError) in try StaffRow.names(ids, in: session) }
    }

    /// Takes a person's password away, ends their sessions, and makes `link` set a new password. A disabled person may
    /// sign in again then. Nil if there is nobody of this name. Throws when the database is away.
    package func reset(
        _ name: String, link: [UInt8], by actor: Actor, reason: String?
    ) async throws(ServiceFailure) -> StaffMember? {
        let (hash, now) = (Self.digest(of: link), now())
        return try await changing(name) { (member, session) throws(DatabaseError) in
            guard try StaffRow.find(link: hash, at: now, in: session) == nil else { return }
            try StaffRow.link(member.id, hash: hash, until: now + Self.linkLife, in: session)
            try StaffSessionRow.endAll(of: member.id, in: session)
            try enter(.resetStaff, member, by: actor, reason, at: now, in: session)
        }
    }

    /// Forbids a person to sign in, and ends their sessions. Nil if there is nobody of this name. Repeat is safe.
    /// Throws when the database is away.
    package func disable(
        _ name: String, by actor: Actor, reason: String?
    ) async throws(ServiceFailure) -> StaffMember? {
        let now = now()
        return try await changing(name) { (member, session) throws(DatabaseError) in
            guard try StaffRow.disable(member.id, at: now, in: session) else { return }
            try StaffSessionRow.endAll(of: member.id, in: session)
            try enter(.disableStaff, member, by: actor, reason, at: now, in: session)
        }
    }

    /// Gives a person another role, which holds from their next request on. Nil if there is nobody of this name. Repeat
    /// is safe. Throws when the database is away.
    package func change(
        _ name: String, to role: StaffRole, by actor: Actor
    ) async throws(ServiceFailure) -> StaffMember? {
        let now = now()
        return try await changing(name) { (member, session) throws(DatabaseError) in
            guard try StaffRow.change(member.id, to: role, in: session) else { return }
            try enter(.changeStaffRole, member, ["role": role.rawValue], by: actor, nil, at: now, in: session)
        }
    }

    /// Ends a person's sessions. Nil if there is nobody of this name. Repeat is safe. Throws when the database is away.
    package func signOut(_ name: String, by actor: Actor) async throws(ServiceFailure) -> StaffMember? {
        let now = now()
        return try await changing(name) { (member, session) throws(DatabaseError) in
            guard try StaffSessionRow.endAll(of: member.id, in: session) > 0 else { return }
            try enter(.signOutEverywhere, member, by: actor, nil, at: now, in: session)
        }
    }

    /// The sessions that are not over, the newest first. Throws when the database is away.
    package func sessions() async throws(ServiceFailure) -> [StaffSession] {
        let now = now()
        return try await pool.ask { (session) throws(DatabaseError) in
            try StaffSessionRow.list(endingAfter: now, limit: Self.longestList, in: session)
        }
    }

    /// The person whom `link` lets set a password; nil if it lets nobody. Throws when the database is away.
    package func member(link: [UInt8]) async throws(ServiceFailure) -> StaffMember? {
        let now = now()
        return try await pool.ask { (session) throws(DatabaseError) in
            try StaffRow.find(link: Self.digest(of: link), at: now, in: session)
        }
    }

    /// Sets the password of the person whom `link` lets in, and uses the link up. Nil if it lets nobody in any more.
    /// Throws when the database is away.
    package func set(password: String, link: [UInt8]) async throws(ServiceFailure) -> StaffMember? {
        let (hash, now) = (Self.digest(of: link), now())
        return try await pool.commit { (session) throws(DatabaseError) -> StaffMember? in
            guard let member = try StaffRow.find(link: hash, at: now, in: session),
                try StaffRow.set(password: password, link: hash, at: now, in: session)
            else { return nil }
            try enter(.setStaffPassword, member, by: Actor(member), nil, at: now, in: session)
            return member
        }
    }

    private func changing(
        _ name: String, _ change: @Sendable (StaffMember, Session) throws(DatabaseError) -> Void
    ) async throws(ServiceFailure) -> StaffMember? {
        try await pool.commit { (session) throws(DatabaseError) -> StaffMember? in
            guard let found = try StaffRow.find(name, in: session),
                let member = try StaffRow.lock(found.member.id, in: session)?.member
            else { return nil }
            try change(member, session)
            return try StaffRow.find(name, in: session)?.member
        }
    }

    /// Enters an act about a person of the staff into the trail, as the last statement of its transaction.
    func enter(
        _ action: AuditAction, _ member: StaffMember, _ further: [String: String] = [:], by actor: Actor,
        _ reason: String?, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        let details = ["id": String(member.id)].merging(further) { first, _ in first }
        let record = AuditRecord(
            at: now, actor: actor, action: action, subject: nil, details: details, reason: reason)
        try audit.append(record, in: session)
    }
}

// MARK: Signing in

extension Staff {
    /// The start of a try to sign in.
    package enum Start: Sendable {
        /// The try has to wait until an instant, and nothing is done.
        case wait(until: Instant)
        /// The password is to be compared; `member` is nil if nobody has the name, or may sign in by it.
        case compare(number: UInt64, member: StaffMember?, password: String?)
    }

    /// The way of a try to the password.
    package struct Approach: Hashable, Sendable {
        /// The time in milliseconds for which the try is held before it begins.
        package let pause: Int64
        /// True if somebody signed in to the account from this network within ``SignInPace/knownFor``.
        package let isKnown: Bool
    }

    /// The way of a try to the password. Throws when the database is away.
    package func approach(_ name: String, from network: [UInt8]) async throws(ServiceFailure) -> Approach {
        guard let labels else { return Approach(pause: 0, isKnown: false) }
        let (now, limit) = (now(), SignInPace.longestList)
        let (account, place) = Self.names(name, network, under: labels)
        return try await pool.ask { (session) throws(DatabaseError) in
            let isKnown = try StaffTryRow.hasSucceeded(
                account, place, after: now + -SignInPace.knownFor, in: session)
            let anywhere = try StaffTryRow.failuresAnywhere(account, limit: limit, in: session)
            return Approach(
                pause: SignInPace.pause(isKnown: isKnown, anywhere: anywhere, now: now), isKnown: isKnown)
        }
    }

    /// Begins a try from `network`. It counts as a failure until ``open(_:of:token:hours:)``. Tries at names that
    /// nobody has are treated alike. Throws when the database is away.
    package func begin(_ name: String, from network: [UInt8]) async throws(ServiceFailure) -> Start {
        guard let labels else { return .compare(number: 0, member: nil, password: nil) }
        let now = now()
        let (account, place) = Self.names(name, network, under: labels)
        let started = try await pool.commit { (session) throws(DatabaseError) -> Start in
            let here = try StaffTryRow.here(account, place, limit: SignInPace.longestList, in: session)
            if let instant = SignInPace.allowedAt(here: here, now: now) { return .wait(until: instant) }
            let number = try StaffTryRow.insert(account, place, at: now, in: session)
            let found = try StaffRow.find(name, in: session).flatMap { $0.member.disabledAt == nil ? $0 : nil }
            return .compare(number: number, member: found?.member, password: found?.password)
        }
        if case .wait = started {
            // The answer does not wait for the entry, whose time would tell that there is such a person. An entry that
            // is lost comes with the next try.
            Task { try? await noteSlowed(name, at: now) }
        }
        return started
    }

    /// The labels of an account and of a network in the list of tries.
    private static func names(_ name: String, _ network: [UInt8], under labels: Labels) -> (Label, Label) {
        (labels.label(.staffName, name), labels.label(.network, Hexadecimal.text(network)))
    }

    /// Enters the first slowed try at a person's account within an hour into the trail.
    private func noteSlowed(_ name: String, at now: Instant) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            guard try StaffRow.noteSlowed(name, at: now, ifNotSince: now + -Self.slowedInterval, in: session),
                let member = try StaffRow.find(name, in: session)?.member
            else { return }
            try enter(.slowStaff, member, by: Actor(member), nil, at: now, in: session)
        }
    }

    /// Opens a session for a person whose password was compared, under a new token. Nil if the person was disabled or
    /// the password replaced meanwhile. Throws when the database is away.
    package func open(
        _ number: UInt64, of member: StaffMember, password: String?, token: [UInt8], hours: Int
    ) async throws(ServiceFailure) -> StaffSession? {
        let (hash, now) = (Self.digest(of: token), now())
        return try await pool.commit { (session) throws(DatabaseError) -> StaffSession? in
            // If the connection broke at COMMIT, the session may be stored already; its token finds it.
            if let earlier = try StaffSessionRow.find(tokenHash: hash, in: session) { return earlier }
            guard let present = try StaffRow.lock(member.id, in: session), present.member.disabledAt == nil,
                present.password == password
            else { return nil }
            try StaffTryRow.succeed(number, in: session)
            let end = now + Int64(hours) * Instant.millisecondsPerHour
            try StaffSessionRow.insert(of: member.id, tokenHash: hash, at: now, until: end, in: session)
            let opened = try StaffSessionRow.find(tokenHash: hash, in: session)
            try enter(.signIn, present.member, by: Actor(present.member), nil, at: now, in: session)
            return opened
        }
    }

    /// The session with this token, with the person as they are now; nil if it is over, or was not used for
    /// `idleMinutes`. Throws when the database is away.
    package func session(
        _ token: [UInt8], idleMinutes: Int
    ) async throws(ServiceFailure) -> StaffSession? {
        let (hash, now) = (Self.digest(of: token), now())
        return try await pool.ask { (session) throws(DatabaseError) -> StaffSession? in
            guard let found = try StaffSessionRow.find(tokenHash: hash, in: session), now < found.endsAt,
                now - found.seenAt < Int64(idleMinutes) * 60_000, found.member.disabledAt == nil
            else { return nil }
            if now - found.seenAt >= Self.touchInterval {
                // A failure is ignored: the next request writes the use.
                try? StaffSessionRow.touch(found.id, at: now, in: session)
            }
            return found
        }
    }

    /// Ends a session, or with `everywhere` all sessions of its person. Repeat is safe. Throws when the database is
    /// away.
    package func end(_ ending: StaffSession, everywhere: Bool) async throws(ServiceFailure) {
        let now = now()
        try await pool.commit { (session) throws(DatabaseError) in
            let wasOpen = try StaffSessionRow.end(ending.id, in: session)
            if everywhere { try StaffSessionRow.endAll(of: ending.member.id, in: session) }
            guard wasOpen else { return }
            try enter(
                everywhere ? .signOutEverywhere : .signOut, ending.member, by: Actor(ending.member), nil, at: now,
                in: session)
        }
    }

    /// Deletes sessions that are over and tries that are old, and returns their number. Throws when the database is
    /// away.
    package func sweep() async throws(ServiceFailure) -> Int {
        let (now, limit) = (now(), 1_000)
        return try await pool.commit { (session) throws(DatabaseError) in
            let sessions = try StaffSessionRow.sweep(endedBy: now, limit: limit, in: session)
            let failures = try StaffTryRow.sweep(
                succeeded: false, before: now + -SignInPace.memory, limit: limit, in: session)
            let successes = try StaffTryRow.sweep(
                succeeded: true, before: now + -SignInPace.knownFor, limit: limit, in: session)
            return sessions + failures + successes
        }
    }
}
