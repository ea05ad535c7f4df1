extension Stylesheet {
    /// The drawing of passes and plans.
    static let lane = """
        .lane{padding:0 24px 12px}
        .row{display:grid;grid-template-columns:232px minmax(0,1fr)}
        .chart{position:relative}
        .chart svg,.axis svg{display:block;overflow:visible}
        .gutter{display:flex;gap:12px;align-items:center;min-width:0;padding-right:16px;height:40px}
        .access .gutter{height:56px}
        .axis .gutter{height:48px}
        .row-name{min-width:0}
        .row-name>*{display:block;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
        .row-name .name{font-weight:500}
        .access .name{font-weight:600}
        .group-heading{font-size:12px;line-height:16px;color:var(--ink-2);height:32px;padding-top:10px;
        border-top:1px solid var(--line);white-space:nowrap}
        .choices{display:flex;gap:12px;font-size:12px;line-height:24px}
        .chart .behind,.chart .above{position:absolute;left:232px;top:0;width:calc(100% - 232px);height:100%}
        .chart .behind{z-index:0}
        .chart .above{z-index:2;pointer-events:none}
        .chart .row,.chart .group-heading{position:relative;z-index:1}
        .past{fill:var(--past)}
        .month{stroke:var(--line)}
        .today-ground{stroke:var(--surface);stroke-width:6}
        .today{stroke:var(--ink);stroke-width:2}
        .then{stroke-dasharray:6 4}
        .tick,.flag-text,.label{font-size:12px;font-weight:500}
        .tick{fill:var(--ink-3);font-weight:400}
        .tick.strong{fill:var(--ink);font-weight:600}
        .flag{fill:var(--ink)}
        .flag-text{fill:var(--surface);font-weight:600}
        .patterns{position:absolute}
        .hatch-ground{fill:var(--warn-soft)}
        .hatch-line{fill:var(--warn-line)}
        .over{overflow:visible}
        .solid.t1{fill:var(--t1);stroke:var(--t1-line)}
        .solid.t2{fill:var(--t2);stroke:var(--t2-line)}
        .solid.t3{fill:var(--t3);stroke:var(--t3-line)}
        .outline{stroke-width:1.5}
        .outline.t1{fill:var(--t1-soft);stroke:var(--t1-line)}
        .outline.t2{fill:var(--t2-soft);stroke:var(--t2-line)}
        .outline.t3{fill:var(--t3-soft);stroke:var(--t3-line)}
        .dots{stroke-width:2;stroke-linecap:round;stroke-dasharray:0 6}
        .dashes{stroke-width:2;stroke-dasharray:8 6}
        .ring{fill:var(--surface);stroke-width:2}
        .t1.dots,.t1.dashes,.t1.ring{stroke:var(--t1-line)}
        .t2.dots,.t2.dashes,.t2.ring{stroke:var(--t2-line)}
        .t3.dots,.t3.dashes,.t3.ring{stroke:var(--t3-line)}
        .dots.none{stroke:var(--ink-3)}
        .gap{fill:var(--surface)}
        .cut-off{fill:var(--bad-soft);stroke:var(--bad-line);stroke-dasharray:4 3}
        .cross{fill:var(--surface);stroke:var(--bad-line);stroke-width:1.75;stroke-linecap:round}
        .freed{stroke:var(--bad-line)}
        .hatched{stroke:var(--warn-line)}
        .retried{fill:none;stroke:var(--warn-line);stroke-dasharray:5 4}
        .slant{stroke:var(--surface);stroke-width:3;fill:none}
        .on-solid.t1{fill:var(--t1-ink)}
        .on-solid.t2{fill:var(--t2-ink)}
        .on-solid.t3{fill:var(--t3-ink)}
        .on-soft{fill:var(--ink)}
        .legend{display:flex;flex-wrap:wrap;gap:4px 20px;padding:0 24px 12px 256px;font-size:12px;line-height:16px;
        color:var(--ink-2)}
        .w605,.w820{display:none}
        @media(min-width:1180px){.w605{display:inline}}
        @media(min-width:1400px){.w820{display:inline}}
        """
}
