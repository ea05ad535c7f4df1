import Entitlements

/// The reason why an act is not carried out, in words, and the field that it is about.
struct ActRefusal: Error, Sendable {
    let phrase: Phrase
    var values: [String: String] = [:]
    /// The name of the field; nil if no field can mend it.
    var field: String?

    init(_ phrase: Phrase, _ values: [String: String] = [:], field: String? = nil) {
        self.phrase = phrase
        self.values = values
        self.field = field
    }

    func text(_ words: Words) -> String { words.text(phrase, values) }
}

extension ActRefusal {
    init(_ refusal: OperatorRefusal) {
        switch refusal {
        case .unknownPurchase: self.init(.refusedPurchase, field: "purchase")
        case .ambiguousPurchase: self.init(.refusedAmbiguous, field: "purchase")
        case .ownedByAnotherUser: self.init(.refusedOwned)
        case .ownerErased: self.init(.refusedErased)
        case .unknownGrant: self.init(.refusedPurchase, field: "purchase")
        case .sameUser: self.init(.refusedSameUser, field: "user")
        case .unknownGuest: self.init(.refusedGuest, field: "user")
        case .unknownTier: self.init(.refusedTier, field: "tier")
        case .unknownProduct, .notAnAddOn, .ambiguousProduct: self.init(.refusedProduct, field: "product")
        case .unknownUnit: self.init(.refusedUnit, field: "unit")
        case .daysOutOfRange, .hoursOutOfRange: self.init(.daysHint, ["n": Self.most(days: true)], field: "days")
        case .amountOutOfRange: self.init(.amountHint, ["n": Self.most(days: false)], field: "amount")
        case .endOutOfRange: self.init(.refusedInstant, field: "until")
        case .expiryOutOfRange: self.init(.refusedInstant, field: "expires_at")
        case .emptyOutage, .notAffected: self.init(.refusedNothing)
        case .notEndedBeforeAttached: self.init(.refusedNotLate, field: "purchase")
        }
    }

    private static func most(days: Bool) -> String {
        String(days ? CatalogueCheck.maximumDays : CatalogueCheck.maximumAmount)
    }

    init(_ refusal: DrawRefusal) {
        switch refusal {
        case .keyReused: self.init(.refusedReused)
        case .unknownUnit: self.init(.refusedUnit, field: "unit")
        case .inDebt: self.init(.refusedDebt, field: "unit")
        case .insufficientCredits: self.init(.refusedCredits, field: "amount")
        }
    }

    init(_ refusal: DeviceRefusal) {
        switch refusal {
        case .unknownDevice, .tooManyDevices, .seatLimitReached: self.init(.refusedDevice, field: "device")
        }
    }
}
