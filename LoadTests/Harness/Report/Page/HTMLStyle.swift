/// The style of the page. Text and lines have a contrast of at least 4.5 and 3 to 1 to what is behind them, by day, by
/// night and on paper (WCAG 2.1, 1.4.3 and 1.4.11); nothing is said by colour alone.
enum HTMLStyle {
    static let colours: Markup = """
        :root {
          --paper: #f5f6f8; --sheet: #ffffff; --ink: #18202c; --soft: #566173; --rule: #dfe3ea; --faint: #eef1f5;
          --link: #1d5fd0; --rate: #2f6fde; --p50: #0b7d72; --p99: #c2410c; --cpu: #7a3fd1; --rss: #14753a;
          --good: #14753a; --bad: #b42318; --warn: #8a5a00;
          --good-back: #e4f4e9; --bad-back: #fdeceb; --warn-back: #fcf3dc;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --paper: #0e1319; --sheet: #171d26; --ink: #e8ecf2; --soft: #a0acbc; --rule: #2c3643; --faint: #202833;
            --link: #8ab6ff; --rate: #6aa3ff; --p50: #3ecfbe; --p99: #ff9a5a; --cpu: #b99aff; --rss: #5fd38a;
            --good: #5fd38a; --bad: #ff8f85; --warn: #f2c14e;
            --good-back: #14301f; --bad-back: #3a1a18; --warn-back: #352a10;
          }
        }

        """

    static let page: Markup = """
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--paper); color: var(--ink);
          font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
          font-variant-numeric: tabular-nums;
        }
        main { max-width: 1080px; margin: 0 auto; padding: 48px 24px 72px; }
        nav + article { margin-top: 56px; }
        article + article { margin-top: 72px; padding-top: 56px; border-top: 1px solid var(--rule); }
        a { color: var(--link); }
        h1, .h1 { font-size: 34px; line-height: 1.2; letter-spacing: -0.015em; margin: 0; overflow-wrap: anywhere; }
        h2, .h2 { font-size: 19px; line-height: 1.3; letter-spacing: -0.005em; margin: 0 0 16px; }
        .top { margin-bottom: 28px; }
        .eyebrow { margin: 0 0 6px; color: var(--soft); font-size: 14px; }
        .headline { display: flex; flex-wrap: wrap; align-items: center; gap: 10px 18px; }
        .about { margin: 10px 0 0; font-size: 18px; color: var(--soft); max-width: 70ch; }
        .badge {
          display: inline-block; padding: 3px 12px; border-radius: 999px; font-size: 14px; font-weight: 650;
          text-transform: capitalize; white-space: nowrap;
        }
        .held { background: var(--good-back); color: var(--good); }
        .broken, .failed { background: var(--bad-back); color: var(--bad); }
        .invalid { background: var(--warn-back); color: var(--warn); }
        .facts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 14px 28px; margin: 26px 0 0; }
        .facts div { min-width: 0; }
        .facts div:nth-child(4) { grid-column: span 2; }
        .facts dt, .card dt { font-size: 13px; color: var(--soft); }
        .facts dd { margin: 1px 0 0; font-size: 15px; overflow-wrap: anywhere; }
        .verdict { border-radius: 12px; padding: 16px 22px; margin-bottom: 24px; }
        .verdict p { margin: 0; }
        .verdict ul { margin: 8px 0 0; padding-left: 20px; color: var(--ink); }
        .verdict li { margin: 3px 0; overflow-wrap: anywhere; }
        .cards { display: grid; grid-template-columns: repeat(4, 1fr); gap: 14px; margin: 0 0 24px; }
        .cards.thirds { grid-template-columns: repeat(3, 1fr); }
        .card { background: var(--sheet); border: 1px solid var(--rule); border-radius: 12px; padding: 15px 18px 13px; }
        .card dd { margin: 0; }
        .figure { font-size: 29px; line-height: 1.3; font-weight: 620; letter-spacing: -0.02em; }
        .unit { margin-left: 5px; color: var(--soft); }
        .note { font-size: 13px; color: var(--soft); }
        .panel {
          background: var(--sheet); border: 1px solid var(--rule); border-radius: 14px; padding: 24px 26px 22px;
          margin-bottom: 24px;
        }
        .panel > :last-child { margin-bottom: 0; }
        pre {
          margin: 0; padding: 14px 16px; background: var(--faint); border-radius: 8px; font-size: 14px;
          white-space: pre-wrap; overflow-wrap: anywhere;
        }
        code {
          font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.92em;
        }
        summary { cursor: pointer; margin-top: 18px; color: var(--link); font-size: 15px; }

        """

    static let tables: Markup = """
        .scroll { overflow-x: auto; }
        table { width: 100%; border-collapse: collapse; font-size: 15px; }
        caption { text-align: left; color: var(--soft); font-size: 14px; padding-bottom: 10px; max-width: 80ch; }
        th, td { text-align: right; padding: 8px 0 8px 20px; white-space: nowrap; vertical-align: top; }
        th:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: break-word; }
        thead th { font-size: 13px; font-weight: 550; color: var(--soft); border-bottom: 1px solid var(--rule); }
        tbody th { font-weight: 550; }
        tbody tr + tr > * { border-top: 1px solid var(--faint); }
        tbody tr.dim > * { border-top: 0; padding-top: 0; color: var(--soft); font-size: 14px; }
        tbody tr.dim th { font-weight: 400; padding-left: 14px; }
        table.narrow { max-width: 520px; }
        td .badge { margin: -2px 0; }
        th.word, td.word { text-align: left; padding-left: 32px; width: 1%; }
        .good { color: var(--good); font-weight: 600; }
        .bad { color: var(--bad); font-weight: 600; }
        .found { margin: 4px 0 2px; padding-left: 18px; font-weight: 400; font-size: 14px; color: var(--soft); }

        """

    static let charts: Markup = """
        figure { margin: 26px 0 0; min-width: 0; }
        h2 + figure, .h2 + figure { margin-top: 0; }
        figure + .scroll { margin-top: 18px; }
        figcaption { font-size: 15px; }
        figcaption span { color: var(--soft); }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 32px; }
        .pair figure { display: flex; flex-direction: column; }
        .pair .scroll { margin-top: auto; }
        .legend {
          margin: 4px 0 8px; font-size: 13px; color: var(--soft); display: flex; flex-wrap: wrap; gap: 2px 18px;
        }
        .key::before {
          content: ""; display: inline-block; width: 20px; height: 0; margin: 0 7px 4px 0; border-top: 3px solid;
        }
        .key.corrected::before, .key.rate::before { border-color: var(--rate); }
        .key.uncorrected::before { border-color: var(--soft); border-top-style: dashed; border-top-width: 2px; }
        .key.p50::before { border-color: var(--p50); }
        .key.p99::before { border-color: var(--p99); }
        .key.cpu::before { border-color: var(--cpu); }
        .key.rss::before { border-color: var(--rss); }
        .chart { display: block; width: 100%; height: auto; min-width: 640px; }
        .chart.small { min-width: 330px; }
        .chart text { font-size: 12px; fill: var(--soft); }
        .chart .value { font-size: 12.5px; font-weight: 650; fill: var(--ink); }
        .chart .value, .chart .mark {
          paint-order: stroke; stroke: var(--sheet); stroke-width: 4px; stroke-linejoin: round;
        }
        .grid { stroke: var(--rule); }
        .base, .tick { stroke: var(--soft); }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .area { stroke: none; fill-opacity: 0.16; }
        .line.rate, .line.corrected { stroke: var(--rate); }
        .line.corrected { stroke-width: 2.5; }
        .line.uncorrected { stroke: var(--soft); stroke-dasharray: 5 5; }
        .area.rate { fill: var(--rate); }
        .line.rate { stroke-width: 1.25; }
        .line.p50 { stroke: var(--p50); }
        .line.p99 { stroke: var(--p99); }
        .area.cpu { fill: var(--cpu); }
        .line.cpu { stroke: var(--cpu); }
        .line.rss { stroke: var(--rss); }
        .dot { fill: var(--sheet); stroke: var(--rate); stroke-width: 2.5; }
        .bound { fill: none; stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 2 3; }
        .event { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 4; }
        .shade { fill: var(--soft); fill-opacity: 0.12; }
        .tips rect { fill: transparent; }
        .tips rect:hover { fill: var(--ink); fill-opacity: 0.07; }

        """

    static let media: Markup = """
        @media screen and (max-width: 760px) {
          main { padding: 28px 14px 48px; }
          h1, .h1 { font-size: 27px; }
          .facts, .pair { grid-template-columns: 1fr; }
          .facts div:nth-child(4) { grid-column: auto; }
          .cards, .cards.thirds { grid-template-columns: 1fr 1fr; gap: 10px; }
          caption { max-width: calc(100vw - 62px); }
          .figure { font-size: 24px; }
          .panel { padding: 18px 16px; border-radius: 12px; }
          td, th { padding-left: 14px; }
        }
        @page { size: A4; margin: 14mm 13mm; }
        @media print {
          :root { --paper: #ffffff; }
          * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
          body { font-size: 12px; }
          main { max-width: none; padding: 0; }
          article + article { break-before: page; border: 0; margin: 0; padding: 0; }
          nav.panel { break-after: page; }
          h1, .h1 { font-size: 26px; }
          h2, .h2 { font-size: 15px; break-after: avoid; }
          .about { font-size: 14px; }
          .facts { gap: 8px 20px; margin-top: 16px; }
          .facts dd, table, .facts dt, .card dt, figcaption, caption, tbody tr.dim > *, .found, .legend, summary {
            font-size: 11.5px;
          }
          thead th, .note { font-size: 10.5px; }
          .cards { gap: 8px; }
          .card { padding: 9px 12px; }
          .figure { font-size: 20px; }
          .panel {
            padding: 16px 18px; margin-bottom: 14px; box-decoration-break: clone;
            -webkit-box-decoration-break: clone;
          }
          nav + article { margin-top: 0; }
          th, td { padding: 5px 0 5px 12px; }
          .card, .verdict, figure, table, tr { break-inside: avoid; }
          thead { display: table-header-group; }
          .scroll { overflow: visible; }
          .chart, .chart.small { min-width: 0; }
          .chart text, .chart .value { font-size: 14px; }
          .chart.small text, .chart.small .value { font-size: 13px; }
          details::details-content { content-visibility: visible; block-size: auto; }
          a { color: inherit; text-decoration: none; }
        }

        """
}
