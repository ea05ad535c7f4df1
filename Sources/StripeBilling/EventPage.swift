import StrictJSON

/// A page of Stripe's list of events, the newest first (`stripe.md` §6).
package struct EventPage: Sendable {
    /// An error: the text is no page of events.
    package struct Malformed: Error, Hashable, Sendable {
        package let defect: String
    }

    /// An event of the page.
    package struct Entry: Sendable {
        /// The event's id; nil if it is malformed. An entry without id cannot be the cursor for the next page.
        package let id: String?
        /// The event's JSON.
        package let text: [UInt8]
    }

    package let entries: [Entry]
    /// True if older events follow on the next page.
    package let hasMore: Bool

    /// The last id of the page, which is the cursor for the next page (`starting_after` at Stripe); nil without any id.
    package var end: String? { entries.last { $0.id != nil }?.id }

    /// Reads the body of Stripe's answer. If another page follows, entries without id at the end of this page are
    /// dropped, because the next page begins after the last id and repeats them. Throws ``Malformed`` for a body that
    /// is no list, and if another page follows but no entry has an id.
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
