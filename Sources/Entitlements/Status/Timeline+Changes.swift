extension Timeline {
    /// Returns the first instant after `instant` at which the status may change. Until then the statuses differ in
    /// nothing but the instant that they name. All dates that a status depends on are candidates.
    package func nextChange(after instant: Instant) -> Instant {
        var next = Instant.distantFuture
        func consider(_ candidate: Instant) {
            if instant < candidate, candidate < next { next = candidate }
        }
        func consider(_ track: ShareTrack) {
            for step in track.steps { consider(step.startsAt) }
        }
        for piece in planned + graces {
            consider(piece.segment.startsAt)
            consider(piece.segment.endsAt)
        }
        for version in catalogue.versions { consider(version.effectiveAt) }
        for purchase in purchases {
            consider(purchase.anchor)
            consider(purchase.share)
            for tenure in purchase.tenures {
                if let startsAt = tenure.startsAt { consider(startsAt) }
                if let endsAt = tenure.endsAt { consider(endsAt) }
            }
            for candidate in purchase.windows.lazy.flatMap(\.instants) { consider(candidate) }
        }
        for change in deviceChanges { consider(change) }
        for candidate in purses.lazy.compactMap({ $0.nextChange(after: instant) }) { consider(candidate) }
        return next
    }
}
