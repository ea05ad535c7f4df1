extension Stylesheet {
    /// The type, the frame and the side bar.
    static let base = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%}
        body{margin:0;background:var(--bg);color:var(--ink);font:400 14px/20px ui-sans-serif,-apple-system,"Segoe UI",
        Inter,Roboto,"Helvetica Neue",sans-serif;font-variant-numeric:tabular-nums}
        body:lang(zh){font-family:ui-sans-serif,-apple-system,"Segoe UI",Inter,Roboto,"Helvetica Neue","PingFang SC",
        "Microsoft YaHei","Noto Sans CJK SC",sans-serif}
        h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0;padding:0}
        ul,ol{list-style:none}
        h1{font-size:24px;line-height:32px;font-weight:600;letter-spacing:-.02em;overflow-wrap:anywhere}
        h1.large{font-size:32px;line-height:40px}
        h2{font-size:16px;line-height:24px;font-weight:600;letter-spacing:-.01em}
        h3{font-size:14px;line-height:20px;font-weight:600}
        strong,th{font-weight:600}
        a{color:var(--accent);text-decoration:underline;text-underline-offset:2px}
        a:hover{color:var(--accent-hover)}
        small,.utc,.hint{font-size:12px;line-height:16px;color:var(--ink-3)}
        code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:12px;
        line-height:16px;overflow-wrap:anywhere;user-select:all}
        .nowrap,.utc{white-space:nowrap}
        .bad{color:var(--bad)}
        .warn{color:var(--warn)}
        .muted{color:var(--ink-3)}
        :focus-visible{outline:2px solid var(--focus);outline-offset:2px}
        .skip{position:absolute;left:8px;top:-80px;z-index:9;background:var(--surface);padding:8px 12px}
        .skip:focus{top:8px}
        .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .frame{display:grid;grid-template-columns:216px minmax(0,1fr);min-height:100vh}
        .side{background:var(--side);border-right:1px solid var(--line);padding:20px 12px;display:flex;
        flex-direction:column;gap:20px;position:sticky;top:0;height:100vh}
        .column{padding:16px 40px 48px;min-width:0}
        main,.search{display:block;max-width:1144px;margin:0 auto}
        .search{display:flex}
        main{margin-top:20px}
        main>*+*{margin-top:24px}
        .brand{display:flex;align-items:center;gap:8px;padding:0 8px;font-size:16px;line-height:24px;font-weight:600;
        color:var(--ink);text-decoration:none}
        .mark-ground{fill:var(--accent)}
        .mark-line{fill:none;stroke:var(--accent-ink);stroke-width:2.5;stroke-linecap:round}
        .nav a{display:block;padding:6px 8px;border-radius:8px;color:var(--ink-2);text-decoration:none;
        border:1px solid transparent}
        .nav a:hover{color:var(--ink)}
        .nav a[aria-current]{background:var(--surface);border-color:var(--line);color:var(--ink);font-weight:600}
        .who{margin-top:auto;border-top:1px solid var(--line);padding:12px 8px 0;display:grid;gap:4px;
        overflow-wrap:anywhere}
        .as-link{font:inherit;font-size:12px;line-height:24px;border:0;padding:0;background:none;color:var(--accent);
        text-decoration:underline;cursor:pointer}
        """
}
