extension Timeline {
    /// Returns the coverage at `instant` that counts for the user. Grace and leeway are among it.
    func covering(at instant: Instant) -> [Coverage] {
        (planned.filter { $0.covers(instant) } + graces.filter { $0.covers(instant) })
            .filter { counts($0.segment.key.environment) }
    }

    /// Returns the sources of device seats at `instant`.
    func seatSources(at instant: Instant) -> SeatSources {
        var sources = SeatSources(in: catalogue, catalogue: catalogue.inForce(at: instant).catalogue)
        for piece in covering(at: instant) { sources.count(SeatSources.Giver(piece), 1) }
        for addOn in seatAddOns where addOn.purchase.hasAddOn(at: instant) {
            sources.count(addOnRequiring: addOn.requires, seats: addOn.seats)
        }
        return sources
    }

    /// The allowed seats and the limit of active devices at every instant, past and planned.
    ///
    /// Grace and leeway count from their beginning on, whichever instant is asked about.
    var seatTrack: SeatTrack {
        var sources = SeatSources(in: catalogue, catalogue: catalogue.inForce(at: SeatTrack.start).catalogue)
        let changes = (coverageChanges + addOnChanges + catalogueChanges).sorted { $0.at < $1.at }
        var levels = [SeatTrack.Level(startsAt: SeatTrack.start, allowed: sources.allowed)]
        for (position, change) in changes.enumerated() {
            switch change.kind {
            case .coverage(let giver, let count): sources.count(giver, count)
            case .addOn(let requires, let seats): sources.count(addOnRequiring: requires, seats: seats)
            case .catalogue(let catalogue): sources.catalogue = catalogue
            }
            let isLastOfItsInstant = position + 1 == changes.count || changes[position + 1].at > change.at
            if isLastOfItsInstant {
                levels.append(SeatTrack.Level(startsAt: change.at, allowed: sources.allowed))
            }
        }
        return SeatTrack(of: levels, graceHours: settings.seatGraceHours)
    }

    /// A change of the allowed seats at an instant.
    private struct SeatChange {
        /// The source of seats that comes or goes.
        enum Kind {
            case coverage(SeatSources.Giver, Int)
            case addOn(requiring: TierID?, seats: Int)
            case catalogue(Catalogue)
        }

        let at: Instant
        let kind: Kind
    }

    private var coverageChanges: [SeatChange] {
        var changes: [SeatChange] = []
        for piece in planned + graces where counts(piece.segment.key.environment) {
            guard piece.segment.startsAt < piece.segment.endsAt else { continue }
            let giver = SeatSources.Giver(piece)
            changes.append(SeatChange(at: piece.segment.startsAt, kind: .coverage(giver, 1)))
            changes.append(SeatChange(at: piece.segment.endsAt, kind: .coverage(giver, -1)))
        }
        return changes
    }

    private var addOnChanges: [SeatChange] {
        var changes: [SeatChange] = []
        for addOn in seatAddOns {
            var had = false
            for instant in addOn.purchase.addOnChanges where addOn.purchase.hasAddOn(at: instant) != had {
                had.toggle()
                let seats = had ? addOn.seats : -addOn.seats
                changes.append(SeatChange(at: instant, kind: .addOn(requiring: addOn.requires, seats: seats)))
            }
        }
        return changes
    }

    private var catalogueChanges: [SeatChange] {
        catalogue.versions.dropFirst().map { SeatChange(at: $0.effectiveAt, kind: .catalogue($0.catalogue)) }
    }

    /// The add-ons that give seats.
    private var seatAddOns: [(purchase: Purchase, requires: TierID?, seats: Int)] {
        purchases.compactMap { purchase in
            guard case .addOn(_, let requires, let seats) = purchase.benefit, seats > 0, obstacle(to: purchase) == nil
            else { return nil }
            return (purchase, requires, seats)
        }
    }
}

extension Purchase {
    /// True if the user has this add-on at `instant`, active or suspended.
    fileprivate func hasAddOn(at instant: Instant) -> Bool {
        anchor <= instant && share.share(at: instant) == 0 && tenures.contains { $0.holds(at: instant) }
    }

    /// The instants at which the user may get or lose this add-on, in ascending order.
    fileprivate var addOnChanges: [Instant] {
        Set([anchor] + share.steps.map(\.startsAt) + tenures.flatMap { [$0.startsAt, $0.endsAt].compactMap { $0 } })
            .sorted()
    }
}
