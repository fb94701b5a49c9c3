import { append, element, Keyed, setText } from "./dom.js";
import { formatCost, formatKind, formatTime, nameOf } from "./format.js";

/** @typedef {import("../row").Row} Row */

const panel = element("machine", HTMLElement);
const title = element("machine-name", HTMLHeadingElement);

/** @type {Keyed<[string, string], HTMLDivElement>} */
const facts = new Keyed(element("machine-facts", HTMLDListElement), {
  key: ([name]) => name,
  make: ([name]) => {
    const fact = document.createElement("div");
    append(fact, "dt", name);
    append(fact, "dd");
    return fact;
  },
  update: (fact, [, value]) => {
    if (fact.lastElementChild) setText(fact.lastElementChild, value);
  },
});

/** `#bare-metal/1001` names a machine; anything else none. */
function namedMachine() {
  const [, kind, id] = /^#([a-z-]+)\/(.+)$/.exec(location.hash) ?? [];
  return kind && id ? { kind, id: decodeURIComponent(id) } : undefined;
}

/** Shows the machine that the address of the page names, ended or not. */
export async function showMachine() {
  const named = namedMachine();
  panel.hidden = named === undefined;
  if (!named) return;
  const answer = await fetch(`/_emulator/state/${named.kind}/${encodeURIComponent(named.id)}`, { cache: "no-store" });
  if (answer.ok) {
    /** @type {Row} */
    const row = await answer.json();
    setText(title, nameOf(row));
    facts.show(factsOf(row));
  } else {
    setText(title, `There is no ${formatKind(named.kind).toLowerCase()} ${named.id}`);
    facts.show([]);
  }
}

/**
 * @param {Row} row
 * @returns {[string, string][]}
 */
function factsOf(row) {
  const price = `${formatCost(row.costPerHour)}/h${row.showsPrice ? "" : ", not shown to clients"}`;
  return [
    ["Kind", formatKind(row.kind)],
    ["Id", String(row.id)],
    ["Size", row.what],
    [row.kind === "marketplace-instance" ? "Cluster" : "Region", row.region],
    ["Account", row.account],
    ["Status", row.status],
    ["Created", formatTime(row.createdAt)],
    ...(row.endedAt === null ? [] : [/** @type {[string, string]} */ (["Ended", formatTime(row.endedAt)])]),
    ["Price", price],
    [row.billing ? "Cost so far" : "Cost", formatCost(row.costSoFar)],
    ...(row.ssh === null || !row.billing ? [] : [/** @type {[string, string]} */ (["Emulated ssh", row.ssh])]),
  ];
}

window.addEventListener("hashchange", async () => {
  await showMachine();
  if (!panel.hidden) title.focus();
});
element("machine-close", HTMLButtonElement).addEventListener("click", () => {
  history.replaceState(null, "", location.pathname);
  showMachine();
});
