import Entitlements

/// Credits as single units that are moved about one by one, instant after instant: the rules of `semantics.md` §4 taken
/// literally, without a sum kept anywhere. Slow, and nothing like the fold that it checks.
struct UnitByUnit {
    /// What a user holds of a lot.
    struct Lot {
        let key: PurchaseKey
        let expiresAt: Instant?
        let onShortfall: Terms.OnShortfall
        /// The units that come at an instant.
        let coming: (Instant) -> Int
        /// The units that go to another user at an instant.
        let going: (Instant) -> Int
        /// How many of them refunds ask for at an instant.
        let due: (Instant) -> Int
    }

    /// One unit of one lot.
    private struct Unit {
        let lot: Int
        /// The reservation or spend that drew it, by its place among the acts.
        var drawnBy: Int?
        var isSpent = false
        var isRefunded = false
        /// When its lot expired it was neither drawn nor repaying, or it came back later.
        var isDead = false
        /// Units that repay are numbered in the order in which they began to.
        var repaysSince: Int?

        var isFree: Bool { drawnBy == nil && !isRefunded && !isDead && repaysSince == nil }
    }

    private let lots: [Lot]
    private let entries: [CreditEntry]
    private var units: [Unit] = []
    private var due: [Int]
    private var open: [Int: Reservation] = [:]
    private var repayments = 0
    private let step: Int64
    private(set) var at: Instant

    /// `lots` in the order in which they are drawn; everything happens at a multiple of `step` after `start`.
    init(_ lots: [Lot], _ entries: [CreditEntry], from start: Instant, by step: Int64) {
        self.lots = lots
        self.entries = entries
        due = lots.map { _ in 0 }
        self.step = step
        at = start + -step
    }

    init(_ facts: PurseFacts, from start: Instant) {
        let lots = facts.holdings.map { holding in
            let lot = holding.lot
            return Lot(
                key: holding.key, expiresAt: lot.expiresAt, onShortfall: lot.onShortfall,
                coming: { lot.creditedAt == $0 ? lot.credited : 0 }, going: { _ in 0 },
                due: { lot.creditedAt <= $0 ? lot.refunded(at: $0) : 0 })
        }
        self.init(lots, Array(facts.entries), from: start, by: 1)
    }

    /// Goes on to the next instant. All that happens at one instant happens at once: units come before any are drawn,
    /// go after that, and what is owed is settled last.
    mutating func tick() {
        at = at + step
        for (index, lot) in lots.enumerated() where lot.expiresAt == at {
            for unit in units.indices where units[unit].lot == index && units[unit].drawnBy == nil {
                if units[unit].repaysSince == nil { units[unit].isDead = true }
            }
        }
        for (act, entry) in entries.enumerated() {
            guard case .reserved(let reservation) = entry.act, reservation.expiresAt == at else { continue }
            end(act, committing: 0)
        }
        for (index, lot) in lots.enumerated() {
            units += (0..<lot.coming(at)).map { _ in Unit(lot: index) }
        }
        for (act, entry) in entries.enumerated() where entry.effectiveAt == at { perform(act, entry.act) }
        for (index, lot) in lots.enumerated() {
            for _ in 0..<lot.going(at) { unitToLeave(index).map { _ = units.remove(at: $0) } }
            due[index] = lot.due(at)
            refund(index)
        }
        settle()
    }

    private mutating func perform(_ act: Int, _ deed: CreditAct) {
        switch deed {
        case .spent(let spend): draw(spend.draws, for: act, isSpent: true)
        case .reserved(let reservation):
            draw(reservation.draws, for: act, isSpent: false)
            open[act] = reservation
        case .committed(let id, let amount):
            guard let act = open.first(where: { $0.value.id == id })?.key else { return }
            end(act, committing: amount)
        case .released(let id):
            guard let act = open.first(where: { $0.value.id == id })?.key else { return }
            end(act, committing: 0)
        }
    }

    private mutating func draw(_ draws: [Draw], for act: Int, isSpent: Bool) {
        for draw in draws {
            guard let lot = lots.firstIndex(where: { $0.key == draw.lot }) else { continue }
            for _ in 0..<draw.amount {
                guard let unit = unitToDraw(from: lot) else { continue }
                units[unit].drawnBy = act
                units[unit].isSpent = isSpent
                units[unit].repaysSince = nil
                units[unit].isRefunded = false
            }
        }
    }

    /// A free one; evidence that came late may leave none, and then whichever is least missed.
    private func unitToDraw(from lot: Int) -> Int? {
        let undrawn = units.indices.filter { units[$0].lot == lot && units[$0].drawnBy == nil }
        return undrawn.first { units[$0].isFree }
            ?? undrawn.filter { units[$0].repaysSince != nil }.max { since($0) < since($1) }
            ?? undrawn.first { !units[$0].isDead } ?? undrawn.first
    }

    /// Of the units that nobody drew one that another user gets: those that repay are the last to go.
    private func unitToLeave(_ lot: Int) -> Int? {
        let undrawn = units.indices.filter { units[$0].lot == lot && units[$0].drawnBy == nil }
        return undrawn.first { units[$0].isFree } ?? undrawn.first { units[$0].isRefunded }
            ?? undrawn.filter { units[$0].repaysSince != nil }.max { since($0) < since($1) } ?? undrawn.first
    }

    private func since(_ unit: Int) -> Int { units[unit].repaysSince ?? -1 }

    private mutating func end(_ act: Int, committing amount: Int) {
        guard open.removeValue(forKey: act) != nil else { return }
        var rest = amount
        for unit in units.indices.sorted(by: { units[$0].lot < units[$1].lot }) where units[unit].drawnBy == act {
            if rest > 0 {
                rest -= 1
                units[unit].isSpent = true
                continue
            }
            units[unit].drawnBy = nil
            let expiresAt = lots[units[unit].lot].expiresAt ?? .distantFuture
            if expiresAt <= at, entries[act].effectiveAt < expiresAt { units[unit].isDead = true }
        }
    }

    /// Takes what the refunded total of a lot asks for, the dead first and those that repay last, or gives back.
    private mutating func refund(_ lot: Int) {
        let undrawn = units.indices.filter { units[$0].lot == lot && units[$0].drawnBy == nil }
        let order =
            undrawn.filter { units[$0].isDead } + undrawn.filter { !units[$0].isDead && units[$0].repaysSince == nil }
            + undrawn.filter { units[$0].repaysSince != nil }.sorted { since($0) > since($1) }
        for (place, unit) in order.enumerated() {
            units[unit].isRefunded = place < due[lot]
            if units[unit].isRefunded { units[unit].repaysSince = nil }
        }
    }

    /// What refunds did not find, where that is owed.
    private var missing: Int {
        lots.indices.reduce(0) { sum, lot in
            switch lots[lot].onShortfall {
            case .debt: sum + due[lot] - count(lot) { $0.isRefunded }
            case .writeOff: sum
            }
        }
    }

    private mutating func settle() {
        while true {
            let repaying = units.indices.filter { units[$0].repaysSince != nil }
            if repaying.count > missing {
                guard let newest = repaying.max(by: { since($0) < since($1) }) else { return }
                units[newest].repaysSince = nil
            } else if repaying.count < missing {
                let free = units.indices.filter { units[$0].isFree }
                guard let next = free.min(by: { units[$0].lot < units[$1].lot }) else { return }
                repayments += 1
                units[next].repaysSince = repayments
            } else {
                return
            }
        }
    }

    private func count(_ lot: Int? = nil, where holds: (Unit) -> Bool) -> Int {
        units.count { (lot == nil || $0.lot == lot) && holds($0) }
    }

    /// What refunds did not find and nobody has repaid.
    var debt: Int { missing - count { $0.repaysSince != nil } }

    /// What another user would get: all units of a lot but those that are drawn, expired or used in repayment.
    func movable(_ lot: PurchaseKey) -> Int {
        guard let index = lots.firstIndex(where: { $0.key == lot }) else { return 0 }
        return count(index) { $0.drawnBy == nil && $0.repaysSince == nil && (!$0.isDead || $0.isRefunded) }
    }

    /// Whether units of a lot are drawn or used in repayment.
    func isTouched(_ lot: PurchaseKey) -> Bool {
        guard let index = lots.firstIndex(where: { $0.key == lot }) else { return false }
        return count(index) { $0.drawnBy != nil || $0.repaysSince != nil } > 0
    }

    /// Written as `CreditBalance.text` writes it, and then what each lot has left.
    var text: String { "\(balance) \(left)" }

    var balance: String {
        let written = lots.indices.reduce(0) { sum, lot in
            switch lots[lot].onShortfall {
            case .debt: sum
            case .writeOff: sum + due[lot] - count(lot) { $0.isRefunded }
            }
        }
        let debt = debt
        let taken = [
            ("refunded", due.reduce(0, +) - written),
            ("expired", count { $0.drawnBy == nil && !$0.isRefunded && $0.isDead }),
            ("spent", count { $0.drawnBy != nil && $0.isSpent }),
            ("reserved", count { $0.drawnBy != nil && !$0.isSpent }),
        ]
        let terms = taken.filter { $0.1 != 0 }.map { " − \($0.1) \($0.0)" }.joined()
        return (debt > 0 ? "−\(debt)" : "\(spendable)") + " = \(units.count) credited" + terms
            + (written == 0 ? "" : ", \(written) written off")
    }

    /// Of each lot, what a spend may draw and what repays.
    var left: [[Int]] {
        lots.indices.map { lot in [count(lot) { $0.isFree }, count(lot) { $0.repaysSince != nil }] }
    }

    var spendable: Int { count { $0.isFree } }

    /// How many units of each lot a spend may draw, in the order of drawing.
    var drawable: [(lot: PurchaseKey, units: Int)] {
        lots.indices.map { lot in (lots[lot].key, count(lot) { $0.isFree }) }
    }
}

extension PurseState {
    /// As `UnitByUnit` writes it.
    var text: String { "\(balance.text) \(lots.map { [$0.available, $0.repaid] })" }
}
