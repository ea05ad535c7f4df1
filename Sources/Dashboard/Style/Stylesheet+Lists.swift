extension Stylesheet {
    /// The groups of the side bar, the lists, and the overview.
    static let lists = """
        .nav a{display:flex;justify-content:space-between;gap:8px;padding:4px 8px}
        .side nav>.nav:first-child{margin-top:-4px}
        .nav-group{display:grid;gap:4px}
        .nav-heading{padding:0 8px;font-size:12px;line-height:16px;font-weight:500;color:var(--ink-3)}
        .side nav{display:grid;gap:16px;align-content:start;overflow-y:auto;min-height:0;margin:0 -4px;padding:4px}
        .nav .waiting{font-weight:600;color:var(--ink)}
        .nav .waiting.none{font-weight:400;color:var(--ink-3)}
        .title{border-bottom:1px solid var(--line);padding-bottom:16px}
        .title p{font-size:12px;line-height:16px;color:var(--ink-2);margin-top:4px;max-width:760px}
        .filters{display:flex;flex-wrap:wrap;gap:8px;align-items:flex-end}
        .filter{display:grid;gap:4px;min-width:0}
        .filter label{font-size:12px;line-height:16px;color:var(--ink-2)}
        .filter input,.filter select,.inline select{font:inherit;color:var(--ink);
        background:var(--surface);border:1px solid var(--line-strong);border-radius:8px;height:32px;padding:0 8px;
        max-width:100%}
        .filter input{width:144px}
        .filter select{width:144px}
        .filter input::placeholder{color:var(--ink-3);opacity:1}
        .filter input[aria-invalid]{border:2px solid var(--bad-line)}
        .button.small{height:32px;line-height:30px;padding:0 12px}
        .clear{line-height:32px;padding:0 8px}
        .work-table td p,.work-table th p{color:var(--ink-2);font-weight:400;margin-top:4px}
        .work-table td:first-child{white-space:nowrap}
        .work-table .as-act{margin-left:16px}
        .settles{text-align:right}
        .panel>table:first-child thead th{padding-top:16px}
        .settles form{display:inline}
        .as-act{font:inherit;border:0;padding:2px 0;background:none;color:var(--accent);text-decoration:underline;
        text-underline-offset:2px;cursor:pointer;white-space:nowrap}
        .as-act.bad{color:var(--bad)}
        .inline{display:flex;gap:8px;align-items:center}
        .inline .as-act{margin-left:0}
        .owners li+li{margin-top:4px}
        .owners small{display:inline;margin-left:8px}
        .foot{display:flex;justify-content:space-between;gap:16px}
        .body{margin:0;padding:16px 24px;border-top:1px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere;
        font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:12px;
        line-height:16px}
        .secret{font-size:14px;line-height:20px}
        .panel-body fieldset{margin-top:20px}
        .check{display:flex;gap:8px;align-items:center;min-height:24px;margin-top:8px}
        .check input{width:16px;height:16px;margin:0;accent-color:var(--accent)}
        .panel-body .button.first,.panel-body form>.button{margin-top:20px}
        .numbers td,.numbers th.amount{width:16%}
        .ending{padding:12px 24px}
        .ending svg{display:block;overflow:visible}
        .ending-bar{fill:var(--t2);stroke:var(--t2-line)}
        .panel-body .field input,.panel-body .field select{max-width:440px}
        .panel-body>form>.field:first-of-type{margin-top:0}
        @media(max-width:1099px){
        .side{gap:12px}
        .side nav{display:flex;gap:4px;margin:0;overflow:visible}
        .nav,.nav-group{display:flex;gap:4px;align-items:center}
        .nav a{white-space:nowrap}
        .nav-heading{display:none}
        }
        @media(max-width:699px){
        .settles{text-align:left}
        .work-table .as-act{margin-left:0;margin-right:16px}
        .work-table td:first-child{white-space:normal}
        .filters{display:grid;grid-template-columns:repeat(2,minmax(0,1fr))}
        .filter,.filter input,.filter select{width:100%}
        .filter input,.filter select,.button.small{height:44px}
        .button.small{line-height:42px}
        .ending,.body{padding-left:16px;padding-right:16px}
        .numbers td,.numbers th.amount{width:auto}
        }
        @media(forced-colors:active){
        .ending-bar{fill:Highlight;stroke:CanvasText}
        }
        @media print{
        .filters,.settles,.foot{display:none}
        }
        """
}
