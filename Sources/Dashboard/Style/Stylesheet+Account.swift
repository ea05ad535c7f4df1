extension Stylesheet {
    /// The account page.
    static let account = """
        .panel>form{padding:0 24px 20px}
        .panel>form .field:first-of-type{margin-top:4px}
        .panel>form>.button{margin-top:20px}
        @media(max-width:699px){.panel>form{padding:0 16px 16px}}
        """
}
