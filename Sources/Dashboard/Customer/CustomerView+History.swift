import EntitlementAPI
import Entitlements
import LedgerStore

/// The panels about devices, what happened, and what is related.
extension CustomerView {
    private static let facts = 20

    var devices: Markup {
        let seats = customer.status.devices
        return Shell.panel(
            "devices", words.text(.devicesTitle),
            aside: Markup(
                words.text(.seatsUsed, ["n": words.number(seats.active), "all": words.number(seats.allowed)]))
        ) {
            if customer.devices.isEmpty {
                Shell.empty(words, .devicesNone, .devicesNoneHint)
            } else {
                Tag.ul(.class("list")) {
                    for device in customer.devices {
                        Tag.li {
                            row(device)
                            if mayAct { act(on: device) }
                        }
                    }
                }
            }
        }
    }

    private func row(_ device: Device) -> Markup {
        let name = device.words.flatMap { customer.notes[$0]?.deviceName?.text } ?? customer.deviceNames.name(device.id)
        let seen = words.text(.deviceSeen, ["date": words.shortDate(device.lastSeenAt)])
        let (state, tone): (Phrase, String) =
            switch device.state {
            case .active: (.deviceActive, "")
            case .suspended(by: .user): (.deviceSuspendedByUser, "muted")
            case .suspended(by: .limit): (.deviceSuspendedByLimit, "warn")
            }
        return Tag.div(.class("main")) {
            Tag.bdi { name }
            Tag.p {
                let stated = Tag.span(.class(tone)) { words.text(state) }
                let pinned = device.isPinned ? [words(.devicePinned)] : []
                Tag.small { words.joined([stated, Markup(seen)] + pinned, by: .listed) }
            }
        }
    }

    /// The facts of the ledger, the newest first, with both times. A time opens the page as it was then.
    var timeline: Markup {
        let count = customer.entries.count
        let before = min(max(1, factsBefore ?? count + 1), count + 1)
        let start = count + 1 - before
        let page = customer.entries.dropFirst(start).prefix(Self.facts)
        let figure = figure
        let told = FactText(names, of: customer) { number($0, in: figure) }
        return Shell.panel("facts", words.text(.timelineTitle), aside: Markup(words.text(.timelineNote))) {
            if customer.entries.isEmpty {
                Shell.empty(words, .timelineNone, .timelineNoneHint)
            } else {
                Tag.table(.role("table")) {
                    Shell.head(words, [.columnHappened, .columnWhen, .columnLearned, .columnSource])
                    Tag.tbody(.role("rowgroup")) {
                        for entry in page { row(entry, told) }
                    }
                }
                if start + Self.facts < count {
                    Tag.p(.class("older")) {
                        Tag.a(.href(link([("facts", String(before - Self.facts))], fragment: "facts"))) {
                            words.text(.olderFacts, ["n": words.number(count - start - Self.facts)])
                        }
                    }
                }
            }
        }
    }

    private func row(_ entry: LedgerEntry, _ told: FactText) -> Markup {
        let note = entry.note.flatMap { customer.notes[$0] }
        let delay = entry.recordedAt - entry.effectiveAt
        let then = Link(
            "users", customer.user.text,
            query: [
                ("at", RFC3339.text(of: entry.effectiveAt)), ("known_at", RFC3339.text(of: entry.recordedAt + 999)),
            ])
        return Shell.row {
            Tag.th(.scope("row"), .role("rowheader")) {
                told.sentence(entry)
                Shell.sandbox(words, if: entry.fact.purchase?.environment)
                if let actor = note?.actor {
                    Tag.small { words(.byActor, ["name": Tag.bdi { words.actor(actor, customer.staffNames) }]) }
                }
                if let reason = note?.reason { Tag.small { words(.quoted, ["text": Tag.bdi { reason }]) } }
            }
            Shell.cell(words, .columnWhen) {
                Tag.a(.href(then)) { words.cell(entry.effectiveAt) }
            }
            Shell.cell(words, .columnLearned) {
                Tag.span(.class("nowrap")) { words.dateAndTime(entry.recordedAt) }
                Tag.small {
                    delay < 60_000 ? words.text(.atOnce) : words.text(.later, ["length": words.length(delay)])
                }
            }
            Shell.cell(words, .columnSource) { source(of: entry.fact) }
        }
    }

    private func source(of fact: Fact) -> String {
        guard let purchase = fact.purchase else { return words.text(.sourceApp) }
        return names.source(purchase.source)
    }

    var related: Markup {
        Shell.panel("related", words.text(.relatedTitle)) {
            if customer.relatives.isEmpty, customer.accountToken == nil {
                Shell.empty(words, .relatedNone, .relatedNoneHint)
            } else {
                Tag.ul(.class("list")) {
                    for user in customer.relatives {
                        Tag.li {
                            Tag.span(.class("muted")) { words.text(.sameAccount) }
                            Tag.a(.href(Link("users", user.text))) { Tag.code { user.text } }
                        }
                    }
                    if let token = customer.accountToken {
                        Tag.li {
                            Tag.span(.class("muted")) { words.text(.accountToken) }
                            Tag.code { token.description }
                        }
                    }
                }
            }
        }
    }

    var deliveries: Markup {
        Shell.panel("deliveries", words.text(.deliveriesTitle), aside: all("deliveries")) {
            if customer.deliveries.isEmpty {
                Shell.empty(words, .deliveriesNone, .deliveriesNoneHint)
            } else {
                Tag.table(.role("table")) {
                    Shell.head(words, [.columnCame, .columnWhat, .columnEffect])
                    Tag.tbody(.role("rowgroup")) {
                        for delivery in customer.deliveries { row(delivery) }
                    }
                }
            }
        }
    }

    /// The link to the whole list, of which a panel shows the newest.
    private func all(_ list: String) -> Markup {
        Tag.a(.href(Link(list, query: [("user_id", customer.user.text)]))) { words.text(.columnAll) }
    }

    private func row(_ delivery: RecordedDelivery) -> Markup {
        Shell.row {
            Shell.cell(words, .columnCame) { words.cell(delivery.receivedAt) }
            Shell.name(words, .columnWhat) {
                delivery.title(words)
                Tag.small { names.source(delivery.source) }
            }
            Shell.cell(words, .columnEffect) {
                Tag.span(.class(delivery.outcome.result.tone)) { words.text(delivery.outcome.result.word) }
                if let reason = delivery.outcome.reason { Tag.small { words.text(reason.sentence) } }
            }
        }
    }

    /// The acts on this person from the audit trail, for owners.
    var audit: Markup {
        guard let audit = customer.audit else { return .nothing }
        return Shell.panel("acts", words.text(.actsTitle), aside: all("audit")) {
            if audit.isEmpty {
                Shell.empty(words, .actsNone, .actsNoneHint)
            } else {
                Tag.table(.role("table")) {
                    Shell.head(words, [.columnWhen, .columnActor, .columnAct])
                    Tag.tbody(.role("rowgroup")) {
                        for entry in audit {
                            Shell.row {
                                Shell.cell(words, .columnWhen) { words.cell(entry.at) }
                                Shell.name(words, .columnActor) {
                                    Tag.bdi { words.actor(entry.actor, customer.staffNames) }
                                    Tag.small { entry.actor }
                                }
                                Shell.cell(words, .columnAct) {
                                    if let did = AuditAction.words[entry.action] { words.text(did) }
                                    Tag.small { Tag.code { entry.action } }
                                    if let reason = entry.reason {
                                        Tag.small { words(.quoted, ["text": Tag.bdi { reason }]) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
