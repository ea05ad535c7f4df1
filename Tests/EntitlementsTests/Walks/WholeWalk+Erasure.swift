import Entitlements

/// What becomes of somebody who is erased while the walk goes on.
extension WholeWalk {
    /// Under the same name somebody new may come.
    mutating func erase() {
        let (user, pseudonym) = (anyone, UInt64(erased.count + 1))
        let gone = UserID.erased(pseudonym: pseudonym)
        note("\(user) is erased as \(gone)")
        erased.append(gone)
        world.erase(user, as: pseudonym)
        model.erase(user, as: gone)
        let name = { (known: UserID) in known == user ? gone : known }
        reservations = reservations.map { (name($0.user), $0.id) }
        grants = grants.map { (name($0.user), $0.id) }
        sayings = sayings.map { Saying(user: name($0.user), at: $0.at, knownAt: $0.knownAt, lines: $0.lines) }
    }
}
