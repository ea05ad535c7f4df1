import StrictJSON

/// The number of an order, as it stands in the e-mail to the customer: the letter M, then letters and digits.
package struct OrderID: Hashable, Sendable {
    package let text: String

    /// The number that `text` is; nil for a text of another form.
    package init?(_ text: String) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard (8...24).contains(text.utf8.count), text.utf8.first == UInt8(ascii: "M"),
            text.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) })
        else { return nil }
        self.text = text
    }
}

/// The answer to Look Up Order ID. Nothing in it is verified yet.
package struct OrderAnswer: Sendable {
    /// The transactions of the order; none for an order that Apple does not know.
    package let signed: [SignedTransaction]

    /// Reads Apple's answer; nil for anything else.
    package init?(_ body: [UInt8]) {
        // `try?` drops the defect: the answer is of no use, whatever is wrong with it.
        guard let json = try? JSONValue(StrictJSON(body, boundsNames: false)), let status = json["status"]?.integer
        else { return nil }
        let texts = (json["signedTransactions"]?.elements ?? []).map(\.string)
        guard texts.allSatisfy({ $0 != nil }) else { return nil }
        signed = status == "0" ? texts.compactMap(\.self).map { SignedTransaction($0) } : []
    }
}
