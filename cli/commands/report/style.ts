/** The page's look: quiet, readable in the dark and on a phone, with nothing to fetch. */
export const style = `
:root { color-scheme: light dark; --paper: #f6f7f5; --card: #fff; --ink: #1d2421; --soft: #5f6b65; --line: #e2e6e3;
  --accent: #2c8a5b; --track: #e9edea; --good: #237a4e; --wait: #8f6212; --bad: #ad3c33; --warm: #fdf6e7; }
@media (prefers-color-scheme: dark) { :root { --paper: #121614; --card: #1a1f1c; --ink: #e6ebe8; --soft: #9aa79f;
  --line: #2a312d; --accent: #4fb886; --track: #252c28; --good: #5cc48f; --wait: #dcae5a; --bad: #ec8d86; --warm: #2a2417; } }
* { box-sizing: border-box; margin: 0; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
  padding: 2.5rem 1.25rem 4rem; }
main { max-width: 62rem; margin: 0 auto; }
header { margin-bottom: 1.75rem; }
h1 { font-size: 1.375rem; font-weight: 620; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { font-size: 1rem; font-weight: 600; margin: 2.25rem 0 .75rem; overflow-wrap: anywhere; }
h2 .soft { font-weight: 400; margin-left: .35rem; }
.soft { color: var(--soft); font-size: .875rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem; }
.figures div, .card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.figures div { padding: .9rem 1.1rem; }
dt { color: var(--soft); font-size: .8125rem; }
dd { font-size: 1.5rem; font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
dd small { display: block; font-size: .8125rem; font-weight: 400; letter-spacing: 0; color: var(--soft); }
.card { padding: .35rem 1.1rem; }
.nothing { padding: .9rem 1.1rem; margin-top: .75rem; color: var(--soft); }
.bars { list-style: none; padding: .65rem 0; display: grid; gap: .9rem; }
.bars .row { display: flex; justify-content: space-between; gap: 1rem; margin-bottom: .3rem; }
.track { background: var(--track); border-radius: 99px; height: .5rem; overflow: hidden; }
.fill { background: var(--accent); border-radius: 99px; height: 100%; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { text-align: left; padding: .65rem .75rem .65rem 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border: 0; color: var(--soft); font-size: .8125rem; font-weight: 500; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.name { font-weight: 550; overflow-wrap: anywhere; }
.status { white-space: nowrap; }
.status::before { content: ""; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; margin-right: .45rem;
  background: currentColor; vertical-align: .06em; }
.good { color: var(--good); } .wait { color: var(--wait); } .bad { color: var(--bad); }
.alert { border-left: .25rem solid var(--bad); margin-bottom: .75rem; padding: .8rem 1.1rem; }
.alert.wait { border-left-color: var(--wait); color: var(--ink); }
.alert h3 { font-size: .9375rem; font-weight: 600; }
.alert h2 { margin: 0 0 .15rem; }
.alert p { font-size: .9375rem; overflow-wrap: anywhere; }
.unpriced code { white-space: nowrap; }
.figures div:only-child { max-width: 20rem; }
.unpriced { border-left-color: var(--wait); background: var(--warm); }
.figures .unknown dd, .figures .unknown small, .figures .partly small { color: var(--wait); }
.figures + .alert { margin-top: .75rem; }
details summary { cursor: pointer; padding: .65rem 0; border-top: 1px solid var(--line); color: var(--soft); font-size: .9375rem; }
details thead { display: none; }
.alert ul { padding-left: 1.1rem; font-size: .9375rem; }
code { font: .92em ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.op { font-size: .8125rem; color: var(--soft); }
.below { margin-top: .75rem; }
footer { margin-top: 2.5rem; }
@media (max-width: 40rem) {
  body { padding: 1.5rem .9rem 3rem; }
  .figures { grid-template-columns: 1fr 1fr; }
  dd { font-size: 1.2rem; }
  thead { display: none; }
  tr { display: grid; gap: .15rem 1rem; padding: .75rem 0; border-top: 1px solid var(--line); }
  .machines tr { grid-template: "what cost" "status age" / minmax(0, 1fr) auto; }
  .machines td:nth-child(1) { grid-area: what; } .machines td:nth-child(2) { grid-area: status; }
  .machines td:nth-child(3) { grid-area: age; } .machines td:nth-child(4) { grid-area: cost; }
  .changes tr { grid-template-columns: minmax(0, 1fr); }
  .changes .number { text-align: left; }
  tbody tr:first-child { border-top: 0; }
  th, td { padding: 0; border: 0; }
  .bars .row { flex-wrap: wrap; gap: 0 1rem; }
}
@media print { body { background: none; padding: 0; } .card, .figures div { break-inside: avoid; } }
`;
