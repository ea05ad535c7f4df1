/// The HMAC of a name from outside this server, under the installation's pseudonym key (`semantics.md` §5, *Names at
/// the door*). Labels can only be compared.
package struct Label: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }

    /// True for the label of an account token of the legacy form, which is made of a user id.
    package var isLegacyToken: Bool { text.hasPrefix(Self.legacyMark) }

    static let legacyMark = "legacy:"

    /// True for the label by which the user id of an Apple account is mentioned.
    package var mentionsAppleAccount: Bool { text.hasPrefix(Self.appleMention) }

    /// The beginning of such a label. No mention of another user id begins so.
    package static let appleMention = "user:a:"
}
