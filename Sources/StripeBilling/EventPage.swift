import StrictJSON

/// A page of Stripe's list of events, the newest first (`stripe.md` §6).
package struct EventPage: Sendable {
    /// A text that is no page.
    package struct Malformed: Error, Hashable, Sendable {
        package let defect: String
    }

    /// One event as it stands in the page.
    package struct Entry: Sendable {
        package let id: String
        /// Its JSON.
        package let text: [UInt8]
    }

    package let entries: [Entry]
    /// Whether there are older events.
    package let hasMore: Bool

    /// Reads the body of an answer. Throws ``Malformed`` for what is no list of objects with ids, and for a page that
    /// is empty and has more behind it, since nothing says behind what.
    package init(_ body: [UInt8]) throws(Malformed) {
        let json: StrictJSON
        do throws(JSONDefect) {
            json = try StrictJSON(body)
        } catch {
            throw Malformed(defect: "it is not strict JSON")
        }
        let page = JSONValue(json)
        guard let elements = page["data"]?.elements else { throw Malformed(defect: "it has no list of events") }
        guard let hasMore = page["has_more"]?.flag else { throw Malformed(defect: "it does not say if there is more") }
        var entries: [Entry] = []
        for element in elements {
            guard let id = CardObject(element).id else { throw Malformed(defect: "it lists what has no id") }
            entries.append(Entry(id: id, text: Array(element.source)))
        }
        guard !entries.isEmpty || !hasMore else { throw Malformed(defect: "it is empty and has more behind it") }
        self.entries = entries
        self.hasMore = hasMore
    }
}
