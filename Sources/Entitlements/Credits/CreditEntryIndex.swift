/// Where in a purse's acts a name stands, found without a walk over them.
///
/// A list of dictionaries of which copies share all but the newest, for a dictionary that is shared is copied whole
/// when it grows.
struct CreditEntryIndex: Sendable {
    /// A name by which an act is found.
    enum Name: Hashable {
        /// The key of a spend or a reservation.
        case idempotencyKey(Label)
        case reservation(ReservationID)
        /// The act that ended a reservation before its deadline.
        case end(of: ReservationID)
    }

    private static let chunkLength = 512

    private var full: [[Name: Int]] = []
    private var newest: [Name: Int] = [:]

    /// The position of the first act of a name.
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
