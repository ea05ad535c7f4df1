extension Stylesheet {
    /// Layouts for narrow windows.
    static let narrow = """
        @media(max-width:1099px){
        .frame{display:block}
        .side{position:static;height:auto;flex-direction:row;align-items:center;padding:8px 16px;border-right:0;
        border-bottom:1px solid var(--line);overflow-x:auto;white-space:nowrap}
        .who{margin:0 0 0 auto;border:0;padding:0;display:flex;gap:12px;align-items:center;white-space:nowrap}
        .column{padding:16px}
        .verdict,.columns,.halves{grid-template-columns:minmax(0,1fr)}
        .verdict{gap:24px}
        .next{grid-template-columns:repeat(2,minmax(0,1fr))}
        .next>:first-child{grid-column:1/-1}
        .next>*{border-left:0;padding:8px 24px}
        }
        @media(max-width:699px){
        .verdict h1,h1.large{font-size:24px;line-height:32px}
        .verdict-text{grid-template-columns:minmax(0,1fr);row-gap:12px}
        .panel-head{padding:16px 16px 12px}
        .panel>p,.panel>.empty,.panel-body,.list>li,.older{padding-left:16px;padding-right:16px}
        .lane{padding:0 16px 12px}
        .legend{padding:0 16px 12px}
        .row{grid-template-columns:minmax(0,1fr)}
        .axis .gutter{height:auto}
        .gutter,.access .gutter{height:auto;background:var(--surface);padding-top:4px}
        .chart .behind,.chart .above{left:0;width:100%}
        .chart .above .freed{display:none}
        .chart .gutter{position:relative;z-index:3}
        .kinds{grid-template-columns:repeat(2,1fr)}
        .button,.field input,.as-of input{height:44px;line-height:42px}
        .as-of label{width:100%}
        .next{grid-template-columns:minmax(0,1fr)}
        .work>li{grid-template-columns:40px minmax(0,1fr)}
        .work>li>:last-child{grid-column:2}
        thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        table,tbody,tr{display:block}
        tbody tr{padding:12px 16px}
        tbody .group{padding:0}
        tbody .group th{display:block;padding:8px 16px}
        td,th[scope=row],tbody td:first-child,tbody th:first-child,tbody td:last-child{display:block;padding:2px 0}
        td:empty{display:none}
        td[data-l]::before{content:attr(data-l);display:block;font-size:12px;line-height:16px;color:var(--ink-3)}
        td.amount{text-align:left}
        .as-table{margin:0 16px 16px}
        .as-table tbody tr{padding:12px 0}
        }
        """
}
