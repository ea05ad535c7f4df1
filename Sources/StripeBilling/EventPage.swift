import StrictJSON

/// A page of Stripe's list of events, the newest first (`stripe.md` §6).
package struct EventPage: Sendable {
    /// A text that is no page.
    package struct Malformed: Error, Hashable, Sendable {
        package let defect: String
    }

    /// An event as it stands in the page.
    package struct Entry: Sendable {
        /// Nil for what no event is called; nobody can go on behind it.
        package let id: String?
        /// The event's JSON.
        package let text: [UInt8]
    }

    package let entries: [Entry]
    /// True if there are older events.
    package let hasMore: Bool

    /// The last id, behind which the next page begins.
    package var end: String? { entries.last { $0.id != nil }?.id }

    /// Reads the body of an answer. Entries at its end that have no id are left to the next page, if there is one,
    /// because that begins behind the last id. Throws ``Malformed`` for what is no list, and for a page that has more
    /// behind it and no id.
    package init(_ body: [UInt8]) throws(Malformed) {
        let json: StrictJSON
        do throws(JSONDefect) {
            json = try StrictJSON(body, boundsNames: false)
        } catch {
            throw Malformed(defect: "it is not strict JSON")
        }
        let page = JSONValue(json)
        guard let elements = page["data"]?.elements else { throw Malformed(defect: "it has no list of events") }
        guard let hasMore = page["has_more"]?.flag else { throw Malformed(defect: "it does not say if there is more") }
        var entries = elements.map { Entry(id: CardObject($0).id, text: Array($0.source)) }
        if hasMore {
            while let last = entries.last, last.id == nil { entries.removeLast() }
            guard !entries.isEmpty else { throw Malformed(defect: "it has more behind it, and no id to go on behind") }
        }
        self.entries = entries
        self.hasMore = hasMore
    }
}
