import Entitlements
import MariaDB

/// The changes that people of the staff make to their own account.
extension Staff {
    /// The most sessions that a list names.
    private static let longestSessions = 50

    /// Sets how the pages look to the person of a session. Repeat is safe. Throws when the database is away.
    package func set(_ preferences: StaffPreferences, of own: StaffSession) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try StaffRow.set(preferences, of: own.member.id, in: session)
        }
    }

    /// Replaces the password of the person of a session, and ends their other sessions. Throws when the database is
    /// away.
    ///
    /// - Parameters:
    ///   - number: The try that compared the present password, which then counts as a success.
    ///   - old: The stored password that was compared.
    /// - Returns: False if the person was disabled, or the password replaced meanwhile.
    package func change(
        password: String, from old: String, of own: StaffSession, number: UInt64
    ) async throws(ServiceFailure) -> Bool {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) -> Bool in
            guard let present = try StaffRow.lock(own.member.id, in: session), present.member.disabledAt == nil
            else { return false }
            // If the connection broke at COMMIT, the new password may be stored already.
            if present.password == password { return true }
            guard present.password == old else { return false }
            try StaffTryRow.succeed(number, in: session)
            try StaffRow.replace(password: password, of: own.member.id, in: session)
            try StaffSessionRow.endOthers(than: own.id, of: own.member.id, in: session)
            try enter(.setStaffPassword, present.member, by: Actor(present.member), nil, at: now, in: session)
            return true
        }
    }

    /// The sessions of a session's person that are not over, the newest first. Throws when the database is away.
    package func sessions(
        beside own: StaffSession, idleMinutes: Int
    ) async throws(ServiceFailure) -> [StaffSession] {
        let now = now()
        return try await pool.ask { (session) throws(DatabaseError) in
            try StaffSessionRow.list(of: own.member.id, limit: Self.longestSessions, in: session)
        }.filter { now < $0.endsAt && now - $0.seenAt < Int64(idleMinutes) * 60_000 }
    }

    /// Ends another session of a session's person, or all others if `id` is nil. Repeat is safe. Throws when the
    /// database is away.
    package func end(_ id: UInt64?, beside own: StaffSession) async throws(ServiceFailure) {
        let now = now()
        try await pool.commit { (session) throws(DatabaseError) in
            let ended =
                if let id {
                    try StaffSessionRow.end(id, of: own.member.id, in: session)
                } else {
                    try StaffSessionRow.endOthers(than: own.id, of: own.member.id, in: session) > 0
                }
            guard ended else { return }
            try enter(
                id == nil ? .signOutEverywhere : .signOut, own.member, by: Actor(own.member), nil, at: now,
                in: session)
        }
    }
}
