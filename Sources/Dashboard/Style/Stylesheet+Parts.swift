extension Stylesheet {
    /// Panels, forms, tables, and the parts of pages.
    static let parts = """
        .panel{background:var(--surface);border:1px solid var(--line);border-radius:12px;min-width:0;overflow:hidden}
        .panel-head{display:flex;align-items:baseline;justify-content:space-between;gap:16px;padding:16px 24px 12px}
        .panel>p,.panel>.empty,.panel-body{padding:12px 24px 16px}
        .panel>.panel-body+.panel-body,.panel-head+.lined{border-top:1px solid var(--line)}
        .empty{color:var(--ink-2)}
        .empty strong{color:var(--ink)}
        .lead{font-size:16px;line-height:24px;color:var(--ink-2)}
        .search{align-items:center;gap:8px;background:var(--surface);border:1px solid var(--line);border-radius:8px;
        padding:0 4px 0 12px}
        .search input{flex:1;min-width:0;border:0;background:none;color:var(--ink);font:inherit;height:36px;padding:0}
        .search input::placeholder{color:var(--ink-3);opacity:1}
        .search input:focus{outline:none}
        .search:focus-within{outline:2px solid var(--focus);outline-offset:2px}
        .search button{border:0;background:none;color:var(--ink);font:inherit;font-weight:500;height:32px;
        padding:0 12px;
        border-radius:6px;cursor:pointer}
        .magnifier{flex:none;fill:none;stroke:var(--ink-3);stroke-width:1.5;stroke-linecap:round}
        .hero{max-width:760px;margin:40px auto 0;text-align:center}
        .hero .search{margin-top:24px;text-align:left;border-color:var(--line-strong)}
        .hero .search input{height:54px;font-size:16px}
        .hero .search button{background:var(--accent);color:var(--accent-ink);height:40px;padding:0 20px}
        .kinds{display:grid;grid-template-columns:repeat(4,1fr);gap:16px;margin-top:12px;text-align:left}
        .kinds dt{font-size:12px;line-height:16px;font-weight:600}
        .kinds dd{font-size:12px;line-height:16px;color:var(--ink-3)}
        .field{display:grid;gap:4px;margin-top:20px}
        .field label{font-weight:500}
        .field input,.as-of input{font:inherit;color:var(--ink);background:var(--surface);
        border:1px solid var(--line-strong);border-radius:8px;height:36px;padding:0 12px;width:100%}
        .field input[aria-invalid]{border:2px solid var(--bad-line)}
        .button{font:inherit;font-weight:500;display:inline-block;height:36px;line-height:34px;padding:0 16px;
        border:1px solid var(--line-strong);border-radius:8px;background:var(--surface);color:var(--ink);
        text-decoration:none;cursor:pointer}
        .button.first{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
        .button.first:hover{background:var(--accent-hover)}
        .bare{max-width:360px;margin:0 auto;padding:96px 16px 48px}
        .bare .brand{padding:0;font-size:20px;line-height:28px}
        .bare .button{width:100%;height:44px;margin-top:20px;font-size:16px}
        .bare .field input{height:44px}
        .banner{display:flex;justify-content:space-between;gap:16px;border:1px solid var(--line-strong);
        border-radius:8px;
        padding:12px 16px;background:var(--sunken)}
        .banner.refused{background:var(--bad-soft);border-color:var(--bad-line)}
        .sandbox{display:inline-block;font-size:12px;line-height:16px;font-weight:600;color:var(--sand);
        background:var(--sand-soft);border:1px dashed var(--sand);border-radius:4px;padding:1px 6px;letter-spacing:0}
        .number{display:inline-grid;place-items:center;flex:none;width:20px;height:20px;
        border:1px solid var(--line-strong);
        border-radius:10px;font-size:12px;line-height:16px;color:var(--ink-2)}
        .swatch{vertical-align:-1px;margin-right:6px}
        table{border-collapse:collapse;width:100%}
        th,td{text-align:left;vertical-align:top;padding:10px 8px}
        th:first-child,td:first-child{padding-left:24px}
        th:last-child,td:last-child{padding-right:24px}
        thead th{font-size:12px;line-height:16px;font-weight:500;color:var(--ink-3);padding-top:0;padding-bottom:8px}
        tbody tr{border-top:1px solid var(--line)}
        tbody th{font-weight:500}
        tbody .group th{background:var(--past);font-size:12px;line-height:16px;color:var(--ink-2);padding-top:8px;
        padding-bottom:8px}
        td small,th small{display:block;font-weight:400}
        td.amount,th.amount{text-align:right}
        time small{display:block}
        .person{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-end;justify-content:space-between;
        border-bottom:1px solid var(--line);padding-bottom:16px}
        .person h1,.person p{font-size:20px;line-height:28px;font-weight:400;color:var(--ink-2)}
        .person h1 code,.person p code{font-size:20px;line-height:28px;color:var(--ink)}
        .as-of{display:flex;gap:8px;align-items:flex-end;flex-wrap:wrap}
        .as-of label{display:grid;gap:4px;font-size:12px;line-height:16px;color:var(--ink-2);width:152px}
        .verdict{display:grid;grid-template-columns:minmax(0,1fr) 340px;gap:40px;align-items:start}
        .verdict-text{display:grid;grid-template-columns:40px minmax(0,1fr);column-gap:16px}
        .verdict h1{font-size:32px;line-height:40px}
        .verdict .follow{display:block;font-weight:400;color:var(--ink-2)}
        .verdict .tier{color:var(--accent)}
        .verdict .why{font-size:16px;line-height:24px;color:var(--ink-2);margin-top:12px;max-width:640px}
        .sign{width:40px;height:40px}
        .sign .ground{fill:var(--accent)}
        .sign .stroke{fill:none;stroke:var(--accent-ink);stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
        .sign.none .ground{fill:var(--surface);stroke:var(--bad-line);stroke-width:2}
        .sign.none .stroke{stroke:var(--bad)}
        .sign.warning .ground{fill:var(--warn-soft);stroke:var(--warn-line);stroke-width:2}
        .sign.warning .stroke{stroke:var(--warn)}
        .told{padding:16px 20px}
        .told h2{font-size:12px;line-height:16px;font-weight:500;color:var(--ink-2);letter-spacing:0}
        .told dl{margin-top:8px}
        .told div{display:flex;justify-content:space-between;gap:8px;padding:4px 0}
        .told dt,.told dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px;
        line-height:16px}
        .told dt{color:var(--ink-3)}
        .told dt{white-space:nowrap}
        .told dd{text-align:right;overflow-wrap:anywhere}
        .columns{display:grid;grid-template-columns:minmax(0,1fr) 400px;gap:24px;align-items:start}
        .columns>div>*+*{margin-top:24px}
        .halves{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:24px;align-items:start}
        .list>li{display:flex;gap:12px;align-items:baseline;justify-content:space-between;padding:12px 24px;
        border-top:1px solid var(--line)}
        .list .main{min-width:0;overflow-wrap:anywhere}
        .count{font-size:24px;line-height:32px;font-weight:600;letter-spacing:-.02em;min-width:48px;text-align:right}
        .work>li{display:grid;grid-template-columns:56px minmax(0,1fr) auto;gap:16px}
        .next{display:grid;grid-template-columns:160px repeat(4,minmax(0,1fr));border-top:1px solid var(--line)}
        .next>*{padding:12px 16px;border-left:1px solid var(--line)}
        .next>:first-child{border-left:0;padding-left:24px}
        .balance{display:flex;justify-content:space-between;align-items:baseline;gap:12px}
        .balance .big{font-size:24px;line-height:32px;font-weight:600;letter-spacing:-.02em}
        .older{padding:12px 24px;border-top:1px solid var(--line);font-size:12px;line-height:16px}
        summary{cursor:pointer;font-size:12px;line-height:24px;color:var(--accent)}
        .as-table{margin:0 24px 16px}
        .as-table th:first-child,.as-table td:first-child{padding-left:0}
        """
}
