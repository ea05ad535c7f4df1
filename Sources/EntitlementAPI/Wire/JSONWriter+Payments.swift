import Entitlements

extension JSONWriter {
    /// Writes the member `payments`: what was paid for a purchase, and what went back. Amounts in an unknown unit stand
    /// apart, so that nobody adds them to others.
    mutating func members(of payments: [Payment]) {
        member("payments", objects: payments) { json, payment in
            json.member("number", payment.number)
            json.member("made_at", exactly: "made_at_ms", payment.madeAt)
            json.member("currency", payment.currency)
            json.member("paid_milliunits", payment.isRaw ? nil : payment.paid.map { Int($0) })
            json.member("refunded_milliunits", payment.isRaw ? nil : Int(payment.refunded))
            json.member("paid_raw", payment.isRaw ? payment.paid.map { Int($0) } : nil)
            json.member("refunded_raw", payment.isRaw ? Int(payment.refunded) : nil)
        }
    }
}
