import { createHash } from "node:crypto";

/** The page for people at `/`: one text, nothing to build and nothing to fetch but the figures. */

const style = `
:root { color-scheme: light dark; --paper: #f6f7f5; --card: #fff; --ink: #1d2421; --soft: #66716c; --line: #e2e6e3;
  --good: #1f7a4c; --wait: #86590c; --bad: #b8433a; --over: #5f6964; }
@media (prefers-color-scheme: dark) { :root { --paper: #121614; --card: #1a1f1c; --ink: #e6ebe8; --soft: #93a099;
  --line: #2a312d; --good: #5cc48f; --wait: #dcae5a; --bad: #e5817a; --over: #93a099; } }
* { box-sizing: border-box; margin: 0; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; padding: 2rem 1.25rem 4rem; }
main { max-width: 64rem; margin: 0 auto; }
header { display: flex; align-items: baseline; gap: .75rem; flex-wrap: wrap; margin-bottom: 1.5rem; }
h1 { font-size: 1.25rem; font-weight: 600; letter-spacing: -.01em; }
#live { color: var(--soft); font-size: .875rem; }
#live::before { content: ""; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; margin-right: .4rem;
  background: var(--good); }
#live.lost::before { background: var(--bad); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin-bottom: 1.5rem; }
dl div, .list { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
dl div { padding: .9rem 1.1rem; }
dt { color: var(--soft); font-size: .8125rem; }
dd { font-size: 1.5rem; font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { text-align: left; padding: .7rem 1.1rem; border-top: 1px solid var(--line); vertical-align: baseline; }
thead th { border: 0; color: var(--soft); font-size: .8125rem; font-weight: 500; }
.money { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.name { font-weight: 550; overflow-wrap: anywhere; }
.sub { color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; }
.status { white-space: nowrap; color: var(--over); }
.status::before { content: "● "; font-size: .7em; vertical-align: .12em; }
.good { color: var(--good); } .wait { color: var(--wait); } .bad { color: var(--bad); }
.note { padding: 2.5rem 1.1rem; text-align: center; color: var(--soft); }
[hidden] { display: none; }
@media (max-width: 40rem) {
  body { padding: 1.25rem .9rem 3rem; }
  dl { grid-template-columns: 1fr 1fr; }
  dd { font-size: 1.2rem; }
  thead { display: none; }
  tr { display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem; padding: .8rem 1.1rem; }
  tr + tr { border-top: 1px solid var(--line); }
  td { padding: 0; border: 0; }
  td:nth-child(2) { text-align: right; }
}
`;

// Labels come from whoever uses the service, so text only ever enters as text.
const script = `
const dollars = (amount, digits) => "$" + amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const kinds = { "bare-metal": "Bare metal", "virtual-machine": "Virtual machine", "storage-volume": "Storage volume", "marketplace-instance": "Marketplace" };
const tones = { Running: "good", active: "good", running: "good", node_ready: "good", Pending: "wait", inactive: "wait",
  creating: "wait", starting: "wait", Failed: "bad", failed: "bad" };
const at = (id) => document.getElementById(id);
const put = (parent, name, text, className) => {
  const child = parent.appendChild(document.createElement(name));
  child.textContent = text;
  if (className) child.className = className;
  return child;
};
const since = (from, now) => {
  const minutes = Math.floor((Date.parse(now) - Date.parse(from)) / 60000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return minutes + " min";
  if (minutes < 2880) return Math.floor(minutes / 60) + " h " + (minutes % 60) + " min";
  return Math.floor(minutes / 1440) + " days";
};
const show = (view) => {
  at("count").textContent = view.total.toLocaleString("en-US");
  at("rate").textContent = dollars(view.costPerHour, 2);
  at("spent").textContent = dollars(view.spent, 2);
  at("balance").textContent = dollars(view.balance, 2);
  const rows = view.rows.map((row) => {
    const line = document.createElement("tr");
    const what = put(line, "td", "");
    put(what, "div", row.label || kinds[row.kind] + " " + row.id, "name");
    put(what, "div", [kinds[row.kind], row.id, row.what, row.region].join(" · "), "sub");
    put(put(line, "td", ""), "span", row.status, "status " + (tones[row.status] || ""));
    const age = put(line, "td", since(row.createdAt, view.now), "sub");
    age.title = row.createdAt;
    const cost = put(line, "td", "", "money");
    put(cost, "div", dollars(row.costPerHour, row.costPerHour < 0.1 ? 4 : 2) + "/h");
    put(cost, "div", dollars(row.costSoFar, row.costSoFar < 0.1 ? 4 : 2) + " so far", "sub");
    return line;
  });
  at("rows").replaceChildren(...rows);
  at("table").hidden = rows.length === 0;
  at("note").hidden = rows.length > 0 && view.total === rows.length;
  at("note").textContent = rows.length === 0 ? "Nothing is running, nothing is billed." : "The " + rows.length + " dearest of " + view.total + ".";
};
const look = async () => {
  try {
    const answer = await fetch("/_emulator/overview", { cache: "no-store" });
    show(await answer.json());
    at("live").textContent = "live";
    at("live").className = "";
  } catch {
    at("live").textContent = "no connection, trying again";
    at("live").className = "lost";
  }
  setTimeout(look, 2000);
};
look();
`;

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f7a4c'/%3E%3C/svg%3E";

export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gpufleet emulator</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<main>
<header><h1>gpufleet emulator</h1><span id="live" role="status">connecting</span></header>
<dl>
<div><dt>Billed now</dt><dd id="count">–</dd></div>
<div><dt>Per hour</dt><dd id="rate">–</dd></div>
<div><dt>Spent so far</dt><dd id="spent">–</dd></div>
<div><dt>Balance</dt><dd id="balance">–</dd></div>
</dl>
<div class="list">
<table id="table" hidden>
<thead><tr><th>What</th><th>Status</th><th>Since</th><th class="money">Cost</th></tr></thead>
<tbody id="rows"></tbody>
</table>
<p id="note" class="note">Looking…</p>
</div>
</main>
<script>${script}</script>
</body>
</html>
`;

const scriptHash = createHash("sha256").update(script).digest("base64");

/** Nothing but the page's own script runs, whatever a label says. */
export const pageHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'sha256-${scriptHash}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};
