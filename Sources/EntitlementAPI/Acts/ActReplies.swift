package import Entitlements

/// The replies of acts as JSON, for the API and the command line.
package enum ActReply {
    /// A grant that was taken back.
    package static func revoked(grant id: ExternalID, at instant: Instant) -> [UInt8] {
        JSONWriter.object { json in
            json.member("id", id.text)
            json.member("revoked_at", exactly: "revoked_at_ms", instant)
        }
    }

    /// A purchase that was taken back.
    package static func revoked(_ key: PurchaseKey, _ withdrawal: OperatorAct.Withdrawal) -> [UInt8] {
        JSONWriter.object { json in
            json.members(of: key)
            json.member("revoked_at", exactly: "revoked_at_ms", withdrawal.at)
            json.member("takes_renewals", withdrawal.takesRenewals)
        }
    }

    /// A purchase that became a user's.
    package static func bound(_ key: PurchaseKey, to user: UserID) -> [UInt8] {
        JSONWriter.object { json in
            json.member("user_id", user.text)
            json.members(of: key)
        }
    }

    /// Purchases that went over to `user`.
    package static func moved(_ keys: [PurchaseKey], to user: UserID) -> [UInt8] {
        JSONWriter.object { json in
            json.member("to_user_id", user.text)
            json.member("transferred", objects: keys) { json, key in
                json.member("source", key.source.text)
                json.member("external_id", key.externalID.text)
                json.member("environment", key.environment.rawValue)
            }
        }
    }

    /// The user whose Apple accounts were signed out.
    package static func signedOut(_ user: UserID, _ signedOut: OperatorAct.SignOut) -> [UInt8] {
        JSONWriter.object { json in
            json.member("user_id", user.text)
            json.member("signed_out_at", exactly: "signed_out_at_ms", signedOut.at)
            json.member("apple_accounts", signedOut.accounts)
        }
    }

    /// True if a user is on the list of sandbox testers.
    package static func sandboxTester(_ isTester: Bool) -> [UInt8] {
        JSONWriter.object { $0.member("sandbox_tester", isTester) }
    }
}
