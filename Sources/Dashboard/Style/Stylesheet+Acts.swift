extension Stylesheet {
    /// Acts: their forms, previews and banners.
    static let acts = """
        .acts{display:flex;flex-wrap:wrap;gap:8px;margin-top:20px}
        .taking,.button.taking{color:var(--bad)}
        h1.taking{color:var(--ink)}
        .button.taking{border-color:var(--bad-line)}
        .crumbs{color:var(--ink-3);margin-bottom:4px}
        .act{display:grid;grid-template-columns:344px minmax(0,1fr);gap:24px;align-items:start}
        .act .row,.act .lane .row{grid-template-columns:152px minmax(0,1fr)}
        .act .chart .behind,.act .chart .above{left:152px;width:calc(100% - 152px)}
        .act form>.field:first-of-type,.act form>fieldset:first-of-type{margin-top:0}
        .act form>.button{margin-top:20px}
        .field select,.field textarea{font:inherit;color:var(--ink);background:var(--surface);
        border:1px solid var(--line-strong);border-radius:8px;width:100%}
        .field select{height:36px;padding:0 8px}
        .field textarea{padding:8px 12px;resize:vertical;display:block}
        .field select[aria-invalid],.field textarea[aria-invalid]{border:2px solid var(--bad-line)}
        .field input.short{width:144px}
        fieldset{border:0;margin:0;padding:0;min-width:0}
        legend{font-weight:500;padding:0;margin-bottom:4px}
        .choice label{display:inline-flex;gap:8px;align-items:center;font-weight:400;
        border:1px solid var(--line-strong);border-radius:8px;min-height:36px;padding:0 12px;margin:0 8px 8px 0}
        .choice label:has(:checked){border-color:var(--accent);background:var(--accent-soft);font-weight:500}
        .field.choice{display:block}
        .confirm form>.button{margin-top:0}
        .choice input{accent-color:var(--accent);width:16px;height:16px;margin:0}
        .choice[aria-invalid] label{border:2px solid var(--bad-line)}
        .preview-sentence{font-size:20px;line-height:28px;letter-spacing:-.02em;color:var(--ink-2);
        padding:4px 24px 16px}
        .preview-sentence strong{color:var(--ink)}
        .preview-sentence .tier{color:var(--accent);font-weight:600}
        .preview-sentence .bad{font-weight:600}
        .person-preview+.person-preview{border-top:1px solid var(--line);padding-top:16px}
        .person-preview h3{padding:0 24px 8px}
        .panel>.person-preview>.panel-note,.panel-note{padding:12px 24px 16px;font-size:12px;line-height:16px;
        color:var(--ink-3);border-top:1px solid var(--line)}
        .changes{border-top:1px solid var(--line)}
        .changes thead th,.changes thead td{padding-top:12px}
        .changes th:last-child{text-align:right}
        .changes .changed{font-weight:600}
        .confirm{background:var(--past);border-top:1px solid var(--line);padding:16px 24px}
        .confirm form{display:flex;flex-wrap:wrap;gap:12px}
        .banner.done{background:var(--accent-soft);border-color:var(--accent)}
        .banner.warned{background:var(--warn-soft);border-color:var(--warn-line)}
        .halo{fill:none;stroke:var(--focus);stroke-width:8;stroke-opacity:.35}
        .number.new{background:var(--focus);border-color:var(--focus);color:var(--surface);font-weight:600}
        .settles a{white-space:nowrap}
        @media(max-width:1099px){.act{grid-template-columns:minmax(0,1fr)}}
        @media(max-width:699px){
        .act .row,.act .lane .row{grid-template-columns:minmax(0,1fr)}
        .act .chart .behind,.act .chart .above{left:0;width:100%}
        .preview-sentence,.person-preview h3,.panel-note,.confirm{padding-left:16px;padding-right:16px}
        .field select{height:44px}
        }
        @media(forced-colors:active){.halo{stroke:Highlight}}
        @media print{.acts,.act form,.confirm,.aside a{display:none}}
        """
}
