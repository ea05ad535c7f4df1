import ArgumentParser
import StoreSimulator

/// The stories of card billing.
extension Story {
    private static let card = everywhere + "reversed "

    static let cards: [Story] = [
        Story("stripe checkout", "Pay by card.", card + "product days trial unnamed old-shape environment") {
            try await $0.checkOut()
        },
        Story("stripe renew", "Renew: the next period begins and is paid.", card) {
            try await $0.charge("Renewed") { kept, goods, seconds in
                try kept.sale.renew(until: goods.end(from: kept.sale.endsAt, days: kept.days), at: seconds)
            }
        },
        Story("stripe fail", "Begin the next period and let its payment fail.", card) {
            try await $0.charge("Payment failed for") { kept, goods, seconds in
                try kept.sale.fail(until: goods.end(from: kept.sale.endsAt, days: kept.days), at: seconds)
            }
        },
        Story("stripe recover", "Let a later attempt to charge succeed.", card) {
            try await $0.charge("Recovered") { kept, _, seconds in try kept.sale.recover(at: seconds) }
        },
        Story("stripe cancel", "End a subscription with its period, or now.", card + "now") { told in
            let atOnce = told.has(.now)
            try await told.charge(atOnce ? "Ended" : "Ends with its period:") { kept, _, seconds in
                try kept.sale.cancel(atOnce: atOnce, at: seconds)
            }
        },
        Story("stripe pause", "Pause a subscription.", card) {
            try await $0.charge("Paused") { kept, _, seconds in try kept.sale.pause(at: seconds) }
        },
        Story("stripe resume", "Resume a paused subscription with a new period.", card) {
            try await $0.charge("Resumed") { kept, goods, seconds in
                try kept.sale.resume(until: goods.end(from: seconds, days: kept.days), at: seconds)
            }
        },
        Story("stripe refund", "Refund the last payment, or a part of it.", card + "percent") { told in
            let text = told.options.percent ?? "100"
            guard let percent = Int64(text), (1...100).contains(percent) else {
                throw ValidationError("--percent \(text): write 1 to 100")
            }
            try await told.charge(percent == 100 ? "Refunded" : "Refunded \(percent) % of") { kept, _, seconds in
                try kept.sale.refund(percent: percent, at: seconds)
            }
        },
        Story("stripe dispute", "Dispute the last payment, or decide that.", card + "won lost") { told in
            let dispute: SimulatedCardSale.Dispute = told.has(.won) ? .won : told.has(.lost) ? .lost : .opened
            try await told.charge("Dispute \(dispute.rawValue) about") { kept, _, seconds in
                kept.sale.dispute(dispute, at: seconds)
            }
        },
    ]
}
