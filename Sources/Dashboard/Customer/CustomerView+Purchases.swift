import Entitlements
import LedgerStore

/// The tables of what the person bought or was given.
extension CustomerView {
    /// The rows of a page of the table.
    private static let rows = 100
    /// The most purchases that give nothing, and the most lots of a unit.
    private static let (uselessRows, lots) = (50, 20)

    /// Purchases that never count, or no longer do for a reason that is not in the drawing.
    private var useless: [Entitlement] {
        customer.status.entitlements.filter { entitlement in
            switch customer.reasons[entitlement.key] {
            case .endedBeforeAttached?, .transferred?: true
            default: entitlement.state == .recorded
            }
        }
    }

    private var useful: [Entitlement] {
        let hidden = Set(useless.map(\.key))
        return customer.status.entitlements.filter { !hidden.contains($0.key) }
            .enumerated().sorted { (order($0.element), -$0.offset) < (order($1.element), -$1.offset) }.map(\.element)
    }

    /// The rank of a purchase in the table: purchases that count now come first.
    private func order(_ entitlement: Entitlement) -> Int {
        switch entitlement.state {
        case .running, .grace: 0
        case .paused, .queued, .billingRetry, .suspended: 1
        case .revoked, .finished, .recorded: 2
        }
    }

    /// The purchases of this page of the table.
    private func page(of all: [Entitlement]) -> ArraySlice<Entitlement> {
        all.dropFirst(min(max(0, boughtAfter), all.count)).prefix(Self.rows)
    }

    /// The purchases whose payments the page shows; none if it shows another moment, because amounts are those of
    /// today.
    var paidKeys: [PurchaseKey] { moment.isNow ? (page(of: useful) + listedUseless).map(\.key) : [] }

    private var columns: [Phrase] {
        [.columnNumber, .columnWhat, .columnState, .columnFrom, .columnUntil, .columnBought]
            + (moment.isNow ? [.columnPaid] : []) + (mayAct ? [.columnActs] : [])
    }

    var entitlements: Markup {
        let all = useful
        let page = page(of: all)
        let next = page.endIndex
        let figure = figure
        return Shell.panel(
            "bought", words.text(.entitlementsTitle),
            aside: figure.isNumbered ? Markup(words.text(.entitlementsNote)) : .nothing
        ) {
            if all.isEmpty {
                Shell.empty(words, .entitlementsNone, .entitlementsNoneHint)
            } else {
                Tag.table(.role("table")) {
                    Shell.head(words, columns)
                    for source in sources(of: page) {
                        Tag.tbody(.role("rowgroup")) {
                            Tag.tr(.class("group"), .role("row")) {
                                Tag.th(.scope("rowgroup"), .role("rowheader"), .colspan(columns.count)) {
                                    names.source(source)
                                }
                            }
                            for entitlement in page where entitlement.key.source == source {
                                row(entitlement, figure)
                            }
                        }
                    }
                }
                if next < all.count {
                    Tag.p(.class("older")) {
                        Tag.a(.href(link([("bought", String(next))], fragment: "bought"))) {
                            words.text(.olderPurchases, ["n": words.number(all.count - next)])
                        }
                    }
                }
            }
        }
    }

    private func sources(of page: ArraySlice<Entitlement>) -> [Source] {
        let known: [Source] = [.appleIAP, .stripe, .manual]
        let found = Set(page.map(\.key.source))
        return known.filter(found.contains) + found.subtracting(known).sorted()
    }

    private func row(_ entitlement: Entitlement, _ figure: LaneFigure) -> Markup {
        let purchase = customer.purchase(entitlement.key)
        let row = customer.row(entitlement.key)
        let depth = entitlement.tier.map(figure.depth) ?? "t2"
        return Shell.row {
            Tag.td(.role("cell")) { number(entitlement.key, in: figure) }
            Tag.th(.scope("row"), .role("rowheader")) {
                Tag.bdi { purchase.map { names.purchase($0) } ?? entitlement.key.externalID.text }
                Shell.sandbox(words, if: entitlement.key.environment)
                if entitlement.key.environment == .sandbox, let length = entitlement.length {
                    Tag.small { words.text(.noteLasts, ["length": words.length(length)]) }
                }
                Tag.small { Tag.code { entitlement.key.externalID.text } }
                if hasSeveralApps { Tag.small { entitlement.key.app.text } }
            }
            Shell.cell(words, .columnState) {
                LaneShapes.swatch(entitlement.state, row?.kind, depth)
                Tag.span(.class(tone(entitlement.state))) {
                    words.text(entitlement.state.word(of: purchase, at: moment.at))
                }
                Tag.small { note(entitlement, row) }
            }
            Shell.cell(words, .columnFrom) { words.cell(entitlement.startsAt, orElse: .dash) }
            Shell.cell(words, .columnUntil) {
                words.cell(entitlement.endsAt, orElse: entitlement.startsAt == nil ? .dash : .noEnd)
            }
            Shell.cell(words, .columnBought) { words.cell(purchase?.anchor, orElse: .dash) }
            if moment.isNow {
                Shell.cell(words, .columnPaid, "amount") { paid(entitlement) }
            }
            if mayAct { Shell.cell(words, .columnActs, "settles") { acts(on: entitlement) } }
        }
    }

    private func paid(_ entitlement: Entitlement) -> Markup {
        PurchasePage.paid(payments[entitlement.key]?.first, words)
    }

    private var hasSeveralApps: Bool { customer.timeline.catalogue.latest.catalogue.apps.count > 1 }

    private func tone(_ state: Entitlement.State) -> String {
        switch state {
        case .grace, .billingRetry, .suspended: "warn"
        case .revoked: "bad"
        case .running, .queued, .paused, .finished, .recorded: ""
        }
    }

    /// The reason of a state in a few words.
    private func note(_ entitlement: Entitlement, _ row: Drawing.Row?) -> Markup {
        if let left = row?.left, left > 0, entitlement.state == .paused || entitlement.state == .running {
            return Markup(words.text(.noteDaysLeft, ["length": words.length(left)]))
        }
        if let renews = entitlement.willRenew, entitlement.state == .running {
            return Markup(words.text(renews ? .noteRenews : .noteRenewalOff))
        }
        return reason(entitlement.key)
    }

    private func reason(_ key: PurchaseKey) -> Markup {
        customer.reasons[key].map { words($0.sentence(of: customer.purchase(key), at: moment.at)) } ?? .nothing
    }

    private var listedUseless: [Entitlement] { useless.suffix(Self.uselessRows).reversed() }

    var givesNothing: Markup {
        let all = listedUseless
        return Shell.panel("nothing", words.text(.nothingTitle)) {
            if all.isEmpty {
                Shell.empty(words, .nothingNone, .nothingNoneHint)
            } else {
                Tag.ul(.class("list")) {
                    for entitlement in all {
                        Tag.li {
                            Tag.div(.class("main")) {
                                Tag.strong {
                                    Tag.bdi {
                                        customer.purchase(entitlement.key).map { names.purchase($0) } ?? ""
                                    }
                                }
                                Shell.sandbox(words, if: entitlement.key.environment)
                                " "
                                Tag.code { entitlement.key.externalID.text }
                                Tag.p { reason(entitlement.key) }
                            }
                            Tag.small(.class("nowrap")) {
                                if moment.isNow { paid(entitlement) }
                                if mayAct { acts(onUseless: entitlement) }
                            }
                        }
                    }
                }
                more(useless.count - all.count)
            }
        }
    }

    /// The words for the number of rows that a table leaves out; none if it leaves out none.
    private func more(_ count: Int) -> Markup {
        guard count > 0 else { return .nothing }
        return Tag.p(.class("older")) { words.text(.andMore, ["n": words.number(count)]) }
    }

    var credits: Markup {
        let balances = customer.status.credits
        return Shell.panel("credits", words.text(.creditsTitle), aside: creditActs) {
            if balances.isEmpty {
                Shell.empty(words, .creditsNone, .creditsNoneHint)
            } else {
                let lots = customer.timeline.lotBalances(at: moment.at)
                for balance in balances { credits(balance, lots) }
            }
        }
    }

    private func credits(_ balance: CreditBalance, _ lots: [LotBalance]) -> Markup {
        let lots = lots.filter {
            $0.purse.unit == balance.unit && $0.purse.environment == balance.environment
        }
        return Tag.div(.class("panel-body lined")) {
            Tag.div(.class("balance")) {
                Tag.strong {
                    Tag.bdi { balance.unit }
                    Shell.sandbox(words, if: balance.environment)
                }
                if balance.debt > 0 {
                    Tag.span(.class("bad")) {
                        Tag.span(.class("big")) { words.number(balance.debt) }
                        " " + words.text(.owed)
                    }
                } else {
                    Tag.span {
                        Tag.span(.class("big")) { words.number(balance.spendable) }
                        " " + words.text(.left)
                    }
                }
            }
            if balance.debt > 0 { Tag.p { words.text(.debtText, ["n": words.number(balance.debt)]) } }
            if balance.reserved > 0 { Tag.p { words.text(.reservedText, ["n": words.number(balance.reserved)]) } }
            Tag.table(.role("table")) {
                Shell.head(words, [.columnLot, .columnCredited, .columnSpent, .columnRefunded])
                Tag.tbody(.role("rowgroup")) {
                    for lot in lots.prefix(Self.lots) {
                        Shell.row {
                            Tag.th(.scope("row"), .role("rowheader")) {
                                words.shortDate(lot.creditedAt)
                                Tag.small { names.source(lot.key.source) }
                            }
                            Shell.cell(words, .columnCredited, "amount") { words.number(lot.credited) }
                            Shell.cell(words, .columnSpent, "amount") { words.number(lot.spent) }
                            Shell.cell(words, .columnRefunded, "amount") { words.number(lot.refunded) }
                        }
                    }
                }
            }
            more(lots.count - Self.lots)
        }
    }
}
