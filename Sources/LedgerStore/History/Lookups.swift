package import Entitlements
package import MariaDB

/// The numbers of purchases that a text names, and what stands behind them.
package struct NamedPurchases: Hashable, Sendable {
    /// Original transaction ids.
    package let ids: [String]
    /// The app that is named beside them; empty if none is, or none of the catalogue.
    package let app: AppID
    /// The environment in which they count; nil if it is not known.
    package let environment: StoreEnvironment?
    /// The Apple account whose purchases alone are claimed, for a receipt that nobody vouches for; nil if Apple does.
    package let account: Label?
    /// True for a receipt of the last 24 hours for which Apple vouches.
    package var isFresh = false

    package init(
        _ ids: [String], of app: AppID, in environment: StoreEnvironment? = nil, onlyBy account: Label? = nil
    ) {
        self.ids = ids
        self.app = app
        self.environment = environment
        self.account = account
    }
}

/// The purchases about which Apple is still to be asked, by their numbers.
package struct OwedLookups: Hashable, Sendable {
    /// A purchase's original transaction id, with what ``NamedPurchases`` says of it.
    package struct Number: Hashable, Sendable {
        package let id: String
        package let app: AppID
        package let environment: StoreEnvironment?
        package let account: Label?
        package let isFresh: Bool
        /// When the purchase was named. A notification that names it again moves this.
        package let askedAt: Instant
    }

    /// The user whose receipt named them; nil for those of a notification.
    package let user: UserID?
    package let numbers: [Number]
    /// The numbers of the user that Apple did not know, since 00:00 UTC.
    package let unknownToday: Int
}

/// Look-ups: purchases that an unsigned text names, a receipt or a notification of version 1, and about which Apple is
/// asked (`semantics.md` §6). Each is asked about at most once in ten minutes, and once more for a user with a proof.
package struct Lookups: Sendable {
    /// The time after a look-up in which Apple is not asked about the same purchase again, in milliseconds.
    package static let pause: Int64 = 10 * 60_000
    /// The most purchases that are looked up for a user in that time.
    package static let maximum = 100
    /// The most numbers of a user that Apple may not know on a day (UTC) before it is asked about no more of them.
    package static let maximumUnknown = 50
    /// The subject of the job about the purchases that notifications name. No person has this pseudonym.
    package static let nobody: UInt64 = 0

    /// The answer to a user's wish.
    package enum Begun: Hashable, Sendable {
        /// Apple was asked about all of them less than ten minutes ago.
        case recent
        /// A job is at earlier ones, and goes on with these.
        case owed
        /// They are written down. A job asks if nothing else does before its lease ends.
        case begun(person: UInt64)
        case tooMany
    }

    private let pool: Pool
    private let labels: Labels
    private let now: @Sendable () -> Instant
    private let realNow: @Sendable () -> Instant

    /// - Parameters:
    ///   - now: The clock that dates facts; a test may move it.
    ///   - realNow: Real time, which decides when jobs are due.
    package init(
        pool: Pool, labels: Labels, now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant
    ) {
        self.pool = pool
        self.labels = labels
        self.now = now
        self.realNow = realNow
    }

    /// True if Apple did not know ``maximumUnknown`` of the user's numbers since 00:00 UTC. Locks nothing. Throws when
    /// the database is away.
    package func isSpent(_ user: UserID) async throws(ServiceFailure) -> Bool {
        let start = now().startOfDay
        return try await pool.ask { (session) throws(DatabaseError) in
            try LookupRow.unknown(to: user, since: start, in: session) >= Self.maximumUnknown
        }
    }

    /// Writes down what the receipt of `user` names, with the job that asks Apple. What an earlier receipt named for
    /// which nobody vouched is named anew by one that holds, or by the same account's proof. Throws when the database
    /// is away.
    ///
    /// - Parameter isProven: True if the request proves an Apple account of that app and environment. Then what was
    ///   answered without a proof is asked about again.
    package func begin(
        _ named: NamedPurchases, for user: UserID, isProven: Bool = false
    ) async throws(ServiceFailure) -> Begun {
        let (now, realNow, labels) = (now(), realNow(), labels)
        return try await pool.commit { (session) throws(DatabaseError) in
            let heads = try UserRow.lock([user], under: labels, at: now, in: session)
            guard let person = heads?[user]?.pseudonym else { throw DatabaseError(.misuse, statement: "look up") }
            try UserRow.touch([person], in: session)
            try LookupRow.sweep(at: now, of: person, in: session)
            let known = try LookupRow.known(of: person, since: now + -Self.pause, in: session)
            let new = named.ids.filter { known[$0] == nil }
            guard known.count + new.count <= Self.maximum else { return .tooMany }
            let again = named.ids.compactMap { id -> (String, LookupRow.Known)? in
                guard let row = known[id], row.isNamedAnew(by: named, isProven: isProven) else { return nil }
                return (id, row)
            }
            let isOwed = known.values.contains { $0.state == .owed }
            guard isOwed || !new.isEmpty || !again.isEmpty else { return .recent }
            try LookupRow.insert(new, named, for: person, at: now, in: session)
            try LookupRow.reopen(again, as: named, of: person, at: now, in: session)
            if isOwed, try JobRow.isAlive(.lookup, about: person, in: session) {
                try JobRow.add(.lookup, about: person, dueAt: realNow + Jobs.lease, now: realNow, in: session)
                return .owed
            }
            try JobRow.revive(.lookup, about: person, dueAt: realNow + Jobs.lease, now: realNow, in: session)
            return .begun(person: person)
        }
    }

    /// Writes down what a notification names, with a job that is due at once. What was answered less than ten minutes
    /// ago is owed when these are over. Throws when the database is away.
    package func begin(_ named: NamedPurchases) async throws(ServiceFailure) {
        let (now, realNow) = (now(), realNow())
        try await pool.commit { (session) throws(DatabaseError) in
            try LookupRow.sweep(at: now, of: Self.nobody, in: session)
            try LookupRow.insert(named.ids, named, for: Self.nobody, at: now, in: session)
            guard let first = try LookupRow.firstOwed(to: Self.nobody, in: session) else { return }
            let wait = max(0, first.milliseconds - now.milliseconds)
            if try JobRow.isAlive(.lookup, about: Self.nobody, in: session) {
                // A worker may be at the job, and goes on with these: none other takes it before the lease ends.
                let dueAt = realNow + max(Jobs.lease, wait)
                try JobRow.add(.lookup, about: Self.nobody, dueAt: dueAt, now: realNow, in: session)
            } else {
                try JobRow.revive(.lookup, about: Self.nobody, dueAt: realNow + wait, now: realNow, in: session)
            }
        }
    }

    /// The first look-ups that are owed now to a person, or to nobody; nil if there are none, and for an erased person.
    /// Throws when the database is away.
    package func owed(to person: UInt64) async throws(ServiceFailure) -> OwedLookups? {
        let now = now()
        return try await pool.ask { (session) throws(DatabaseError) in
            try LookupRow.owed(to: person, at: now, in: session)
        }
    }

    /// Keeps the job from other workers for as long as a lease. Throws when the database is away.
    package func hold(_ person: UInt64) async throws(ServiceFailure) {
        let end = realNow() + Jobs.lease
        try await pool.commit { (session) throws(DatabaseError) in
            try JobRow.hold(.lookup, about: person, until: end, in: session)
        }
    }

    /// Notes that Apple answered about purchases, and ends the job unless others are owed. A purchase that a
    /// notification named again meanwhile is owed once more, in ten minutes. Throws when the database is away.
    ///
    /// - Parameters:
    ///   - unknown: The ids among them that Apple does not know.
    ///   - isProven: True if what Apple showed was claimed with a proof.
    package func finish(
        _ numbers: [OwedLookups.Number], unknown: Set<String> = [], of person: UInt64, isProven: Bool = false
    ) async throws(ServiceFailure) {
        let (now, realNow) = (now(), realNow())
        try await pool.commit { (session) throws(DatabaseError) in
            try LookupRow.answer(
                numbers, unknown: unknown, of: person, at: now, isProven: isProven, in: session)
            if person == Self.nobody { try LookupRow.putOff(numbers, until: now + Self.pause, in: session) }
            // The job is removed first: whoever adds look-ups waits for it then, or is seen by the next statement.
            try JobRow.remove(.lookup, about: person, in: session)
            guard let first = try LookupRow.firstOwed(to: person, in: session) else { return }
            let dueAt = realNow + max(Jobs.lease, first.milliseconds - now.milliseconds)
            try JobRow.add(.lookup, about: person, dueAt: dueAt, now: realNow, in: session)
        }
    }

    /// Deletes answered look-ups that keep nothing from being asked any more. Throws when the database is away.
    package static func sweep(_ pool: Pool, at now: Instant) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in try LookupRow.sweep(at: now, in: session) }
    }

    /// Enters an operator's look-up of an order into the audit trail. Throws when the database is away.
    package func note(order id: String, by actor: Actor, audit: AuditTrail) async throws(ServiceFailure) {
        let now = now()
        try await pool.commit { (session) throws(DatabaseError) in
            try audit.append(
                AuditRecord(
                    at: now, actor: actor, action: .lookUpOrder, subject: nil, details: ["order_id": id], reason: nil),
                in: session)
        }
    }
}
