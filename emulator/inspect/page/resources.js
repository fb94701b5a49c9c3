import { append, element, Keyed, setText } from "./dom.js";
import { formatAge, formatCost, formatKind, linkTo, nameOf, statusClass } from "./format.js";

/** @typedef {import("../overview").Overview} Overview */
/** @typedef {Overview["rows"][number]} Row */
/** @typedef {{ row: Row, now: string, isShared: boolean }} Shown */

const table = element("table", HTMLTableElement);
const note = element("note", HTMLParagraphElement);

/** @type {Keyed<Shown, HTMLTableRowElement>} */
const lines = new Keyed(element("rows", HTMLTableSectionElement), {
  key: ({ row }) => `${row.kind} ${row.id}`,
  make: ({ row }) => {
    const line = document.createElement("tr");
    const resource = append(line, "td");
    append(append(resource, "div", "", "name"), "a").href = linkTo(row);
    append(resource, "div", "", "sub");
    append(append(line, "td"), "span");
    append(line, "td", "", "sub").title = row.createdAt;
    const cost = append(line, "td", "", "money");
    append(cost, "div");
    append(cost, "div", "", "sub");
    return line;
  },
  update: (line, { row, now, isShared }) => {
    const [name, facts, status, age, perHour, soFar] = line.querySelectorAll("a, .sub, span, .money div");
    if (!name || !facts || !status || !age || !perHour || !soFar) throw new Error("a row lacks a cell");
    setText(name, nameOf(row));
    const id = row.label ? [String(row.id)] : [];
    const account = isShared ? [row.account] : [];
    setText(facts, [formatKind(row.kind), ...id, row.what, row.region, ...account].join(" · "));
    setText(status, row.status);
    status.className = statusClass(row);
    setText(age, formatAge(row.createdAt, now));
    setText(perHour, `${formatCost(row.costPerHour)}/h`);
    setText(soFar, `${formatCost(row.costSoFar)} so far${row.showsPrice ? "" : " · not shown to clients"}`);
  },
});

/** @param {Overview} overview */
export function showResources({ rows, total, now, balances }) {
  lines.show(rows.map((row) => ({ row, now, isShared: balances.length > 1 })));
  table.hidden = rows.length === 0;
  note.hidden = rows.length > 0 && total === rows.length;
  setText(
    note,
    rows.length === 0
      ? "Nothing is running, nothing is billed."
      : `The ${rows.length} most expensive of ${total.toLocaleString("en-US")}.`,
  );
}
