extension Stylesheet {
    /// The account page.
    static let account = """
        .panel form{padding:0 24px 20px}
        .panel td form{padding:0}
        .panel form .field:first-of-type{margin-top:4px}
        .panel form>.button{margin-top:20px}
        .field select{font:inherit;color:var(--ink);background:var(--surface);border:1px solid var(--line-strong);
        border-radius:8px;height:36px;padding:0 8px;width:100%}
        .banner.done{background:var(--accent-soft);border-color:var(--accent)}
        @media(max-width:699px){
        .panel form{padding:0 16px 16px}
        .field select{height:44px}
        }
        """
}
