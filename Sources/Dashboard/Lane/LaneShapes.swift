import Entitlements

/// The shapes of a lane's bars. Each state differs by its shape, never by colour alone. All places along the axis are
/// percentages, so a picture stretches while its texts keep their size.
struct LaneShapes {
    let scale: LaneScale
    /// The class of a tier's depth of colour.
    let depth: (TierID) -> String

    /// The height of a row, and the middle of it, in pixels.
    static let height = 40
    private static let middle = 20

    /// The patterns that all pictures of a page share.
    static let patterns = Tag.svg(.width(.px(0)), .height(.px(0)), .class("patterns"), .hidden, .noFocus) {
        Tag.defs {
            Tag.pattern(
                .id("hatch"), .width(.px(8)), .height(.px(8)), .userSpace, .patternTransform("rotate(45)")
            ) {
                Tag.rect(.width(.px(8)), .height(.px(8)), .class("hatch-ground"))
                Tag.rect(.width(.px(3)), .height(.px(8)), .class("hatch-line"))
            }
        }
    }

    func bar(_ bar: Drawing.Bar) -> Markup {
        guard let part = scale.part(from: bar.startsAt, to: bar.endsAt) else { return .nothing }
        let depth = depth(bar.tier)
        let shape =
            switch bar.kind {
            case .running: block(part, "solid " + depth, height: 22, radius: 4)
            case .toCome: block(part, "outline " + depth, height: 22, radius: 4)
            case .finished: block(part, "solid " + depth, height: 12, radius: 3)
            case .waiting: wait(part, depth)
            case .paused: pause(part, depth)
            case .cutOff: cutOff(part)
            case .paid: window(part, depth)
            case .grace: block(part, "hatched", height: 22, radius: 0, fill: "url(#hatch)")
            case .retried, .suspended: block(part, "retried", height: 12, radius: 0)
            }
        return shape + cuts(part)
    }

    /// The halo behind a bar that an act would add.
    func halo(_ bar: Drawing.Bar) -> Markup {
        guard let part = scale.part(from: bar.startsAt, to: bar.endsAt), bar.kind != .waiting, bar.kind != .paused
        else { return .nothing }
        return block(part, "halo", height: 22, radius: 4)
    }

    /// The row of access in sum. What covers at the instant of the drawing, or did, is solid; the rest is outlined.
    func access(_ stretch: Drawing.Stretch) -> Markup {
        guard let part = scale.part(from: stretch.startsAt, to: stretch.endsAt) else { return .nothing }
        guard let tier = stretch.tier else { return dots(from: part.x, to: part.end, y: 28, "none") }
        let isAhead = stretch.startsAt > scale.at
        let name = (isAhead ? "outline " : "solid ") + depth(tier)
        return block(part, name, height: 28, radius: 4, middle: 28) + cuts(part, middle: 28)
    }

    func dots(from start: Int, to end: Int, y: Int = LaneShapes.middle, _ name: String) -> Markup {
        Tag.line(
            .class("dots " + name), .x1(.percent(thousandths: start)), .x2(.percent(thousandths: end)), .y1(.px(y)),
            .y2(.px(y)))
    }

    // MARK: Leaves

    /// A rectangle, with a piece of three pixels below it, which shows even the shortest time.
    private func block(
        _ part: LaneScale.Part, _ name: String, height: Int, radius: Int, middle: Int = LaneShapes.middle,
        fill: String? = nil
    ) -> Markup {
        let y = middle - height / 2
        var attributes: [Attribute] = [
            .class(name), .x(.percent(thousandths: part.x)), .y(.px(y)), .width(.percent(thousandths: part.width)),
            .height(.px(height)), .rx(.px(radius)),
        ]
        if let fill { attributes.append(.fill(fill)) }
        let least =
            part.width < 1_000
            ? Tag.rect(
                .class(name), .x(.percent(thousandths: part.x)), .y(.px(y)), .width(.px(3)), .height(.px(height)))
            : .nothing
        return least + Tag.rect(all: attributes) {}
    }

    private func wait(_ part: LaneScale.Part, _ depth: String) -> Markup {
        let ring = Tag.circle(
            .class("ring " + depth), .cx(.percent(thousandths: part.x)), .cy(.px(Self.middle)), .r(.px(4)))
        return dots(from: part.x, to: part.end, depth) + (part.isCutAtStart ? .nothing : ring)
    }

    private func pause(_ part: LaneScale.Part, _ depth: String) -> Markup {
        let today = scale.place(scale.at)
        var (start, end) = (part.x, part.end)
        if start < today, today < end {
            (start, end) = today - start > end - today ? (start, today) : (today, end)
        }
        let dashes = Tag.line(
            .class("dashes " + depth), .x1(.percent(thousandths: part.x)), .x2(.percent(thousandths: part.end)),
            .y1(.px(Self.middle)), .y2(.px(Self.middle)))
        let bars = Tag.svg(.x(.percent(thousandths: (start + end) / 2)), .class("over")) {
            Tag.rect(.class("gap"), .x(.px(-8)), .y(.px(12)), .width(.px(16)), .height(.px(16)))
            Tag.rect(.class("solid " + depth), .x(.px(-4)), .y(.px(15)), .width(.px(3)), .height(.px(10)))
            Tag.rect(.class("solid " + depth), .x(.px(2)), .y(.px(15)), .width(.px(3)), .height(.px(10)))
        }
        return dashes + (part.width > 2_000 ? bars : .nothing)
    }

    private func cutOff(_ part: LaneScale.Part) -> Markup {
        let cross = Tag.svg(.x(.percent(thousandths: part.x)), .class("over")) {
            Tag.circle(.class("cross"), .cx(.px(0)), .cy(.px(Self.middle)), .r(.px(6)))
            Tag.path(.class("cross"), .d("M-3 17L3 23M3 17L-3 23"))
        }
        return block(part, "cut-off", height: 12, radius: 2) + (part.isCutAtStart ? .nothing : cross)
    }

    private func window(_ part: LaneScale.Part, _ depth: String) -> Markup {
        block(part, "outline " + depth, height: 22, radius: 0)
            + Tag.rect(
                .class("solid " + depth), .x(.percent(thousandths: part.x)), .y(.px(9)),
                .width(.percent(thousandths: part.width)), .height(.px(5)))
    }

    /// Two slanting cuts where a bar goes on beyond the edge.
    private func cuts(_ part: LaneScale.Part, middle: Int = LaneShapes.middle) -> Markup {
        let (top, bottom) = (middle - 15, middle + 15)
        func cut(at x: Int, from pixels: Int) -> Markup {
            let (first, second) = (pixels, pixels + 7)
            return Tag.svg(.x(.percent(thousandths: x)), .class("over")) {
                Tag.path(
                    .class("slant"),
                    .d("M\(first) \(bottom)L\(first + 6) \(top)M\(second) \(bottom)L\(second + 6) \(top)"))
            }
        }
        return (part.isCutAtStart ? cut(at: 0, from: 3) : .nothing)
            + (part.isCutAtEnd ? cut(at: LaneScale.whole, from: -17) : .nothing)
    }

    /// The picture of a state in a table, 24 by 12 pixels.
    static func swatch(_ state: Entitlement.State, _ kind: Drawing.Row.Kind?, _ depth: String) -> Markup {
        Tag.svg(.class("swatch"), .width(.px(24)), .height(.px(12)), .hidden, .noFocus) {
            switch (state, kind) {
            case (.running, .window?):
                Tag.rect(.class("outline " + depth), .x(.px(1)), .y(.px(1)), .width(.px(22)), .height(.px(10)))
                Tag.rect(.class("solid " + depth), .x(.px(1)), .y(.px(1)), .width(.px(22)), .height(.px(4)))
            case (.running, _): Tag.rect(all: size(1, 1, 22, 10) + [.rx(.px(3)), .class("solid " + depth)]) {}
            case (.queued, _): Tag.rect(all: size(1, 1, 22, 10) + [.rx(.px(3)), .class("outline " + depth)]) {}
            case (.finished, _): Tag.rect(all: size(1, 4, 22, 5) + [.rx(.px(2)), .class("solid " + depth)]) {}
            case (.paused, _):
                Tag.line(.class("dashes " + depth), .x1(.px(0)), .x2(.px(24)), .y1(.px(6)), .y2(.px(6)))
                Tag.rect(all: size(8, 1, 8, 10) + [.class("gap")]) {}
                Tag.rect(all: size(9, 2, 2, 8) + [.class("solid " + depth)]) {}
                Tag.rect(all: size(13, 2, 2, 8) + [.class("solid " + depth)]) {}
            case (.revoked, _):
                Tag.rect(all: size(7, 2, 16, 8) + [.class("cut-off")]) {}
                Tag.path(.class("cross"), .d("M1 3L7 9M7 3L1 9"))
            case (.grace, _): Tag.rect(all: size(1, 1, 22, 10) + [.class("hatched"), .fill("url(#hatch)")]) {}
            case (.billingRetry, _), (.suspended, _): Tag.rect(all: size(1, 2, 22, 8) + [.class("retried")]) {}
            case (.recorded, _):
                Tag.line(.class("dots none"), .x1(.px(2)), .x2(.px(22)), .y1(.px(6)), .y2(.px(6)))
            }
        }
    }

    /// The picture of a purchase that waits for its start, 24 by 12 pixels.
    static func waiting(_ depth: String) -> Markup {
        Tag.svg(.class("swatch"), .width(.px(24)), .height(.px(12)), .hidden, .noFocus) {
            Tag.line(.class("dots " + depth), .x1(.px(8)), .x2(.px(22)), .y1(.px(6)), .y2(.px(6)))
            Tag.circle(.class("ring " + depth), .cx(.px(5)), .cy(.px(6)), .r(.px(4)))
        }
    }

    private static func size(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> [Attribute] {
        [.x(.px(x)), .y(.px(y)), .width(.px(width)), .height(.px(height))]
    }
}
