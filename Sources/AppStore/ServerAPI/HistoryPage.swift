import StrictJSON

/// A page of Get Transaction History v2.
package struct HistoryPage: Sendable {
    package let signed: [SignedTransaction]
    /// The place after this page.
    package let revision: String
    package let hasMore: Bool

    /// Reads Apple's answer; nil for anything else.
    package init?(_ body: [UInt8]) {
        // `try?` drops the defect: the answer is of no use, whatever is wrong with it.
        guard let json = try? JSONValue(StrictJSON(body, boundsNames: false)),
            let texts = json["signedTransactions"]?.elements, let revision = json["revision"]?.string,
            let hasMore = json["hasMore"]?.flag
        else { return nil }
        let strings = texts.compactMap(\.string)
        guard strings.count == texts.count else { return nil }
        signed = strings.map { SignedTransaction($0) }
        self.revision = revision
        self.hasMore = hasMore
    }
}
