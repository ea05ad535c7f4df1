/// An index of the acts of a purse: it finds the position of an act by its idempotency key or reservation.
///
/// The index is a list of dictionaries of limited size, because a dictionary that is shared is copied whole when it
/// grows. Copies of the index share all dictionaries but the newest.
struct CreditEntryIndex: Sendable {
    /// The name by which an act is found.
    enum Name: Hashable {
        /// The idempotency key of a spend or a reservation.
        case idempotencyKey(Label)
        case reservation(ReservationID)
        /// The commitment or release that ended a reservation.
        case end(of: ReservationID)
    }

    private static let chunkLength = 512

    private var full: [[Name: Int]] = []
    private var newest: [Name: Int] = [:]

    /// Returns the position of the first act with this name.
    func position(of name: Name) -> Int? {
        for chunk in full {
            if let position = chunk[name] { return position }
        }
        return newest[name]
    }

    mutating func add(_ act: CreditAct, at position: Int) {
        switch act {
        case .spent(let spend): add(.idempotencyKey(spend.idempotencyKey), position)
        case .reserved(let reservation):
            add(.idempotencyKey(reservation.idempotencyKey), position)
            add(.reservation(reservation.id), position)
        case .committed(let id, _), .released(let id): add(.end(of: id), position)
        }
        if newest.count >= Self.chunkLength {
            full.append(newest)
            newest = [:]
        }
    }

    private mutating func add(_ name: Name, _ position: Int) {
        if newest[name] == nil { newest[name] = position }
    }
}
