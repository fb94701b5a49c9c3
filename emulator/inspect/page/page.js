/**
 * Polls the figures and shows them. Labels are any text that a client sent, so they are only ever set as text, never as
 * HTML.
 */

/** @typedef {import("../overview").Overview} Overview */
/** @typedef {Overview["rows"][number]} Row */

const pollMs = 2000;
const minuteMs = 60_000;

const tones = new Map([
  ...["Running", "active", "running", "node_ready"].map((status) => /** @type {const} */ ([status, "good"])),
  ...["Pending", "inactive", "creating", "starting"].map((status) => /** @type {const} */ ([status, "wait"])),
  ...["Failed", "failed"].map((status) => /** @type {const} */ ([status, "bad"])),
]);

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element "${id}"`);
  return found;
}

/**
 * @param {HTMLElement} parent
 * @param {string} tag
 * @param {string} text
 * @param {string} className
 */
function append(parent, tag, text = "", className = "") {
  const child = parent.appendChild(document.createElement(tag));
  child.textContent = text;
  if (className !== "") child.className = className;
  return child;
}

/**
 * @param {number} amount
 * @param {number} digits
 */
function formatUsd(amount, digits = 2) {
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/**
 * Small amounts, such as those of a volume, need more digits.
 * @param {number} amount
 */
function formatCost(amount) {
  return formatUsd(amount, amount < 0.1 ? 4 : 2);
}

/**
 * @param {string} from
 * @param {string} now
 */
function formatAge(from, now) {
  const minutes = Math.floor((Date.parse(now) - Date.parse(from)) / minuteMs);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} days`;
}

/**
 * "storage-volume" as "Storage volume".
 * @param {Row["kind"]} kind
 */
function formatKind(kind) {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("-", " ")}`;
}

/**
 * @param {Row} row
 * @param {string} now
 */
function lineOf(row, now) {
  const line = document.createElement("tr");
  const resource = append(line, "td");
  const kind = formatKind(row.kind);
  append(resource, "div", row.label || `${kind} ${row.id}`, "name");
  append(resource, "div", [kind, row.id, row.what, row.region].join(" · "), "sub");
  append(append(line, "td"), "span", row.status, `status ${tones.get(row.status) ?? ""}`);
  append(line, "td", formatAge(row.createdAt, now), "sub").title = row.createdAt;
  const cost = append(line, "td", "", "money");
  append(cost, "div", `${formatCost(row.costPerHour)}/h`);
  append(cost, "div", `${formatCost(row.costSoFar)} so far`, "sub");
  return line;
}

/** @param {Overview} overview */
function show({ total, costPerHour, spent, balance, rows, now }) {
  element("count").textContent = total.toLocaleString("en-US");
  element("rate").textContent = formatUsd(costPerHour);
  element("spent").textContent = formatUsd(spent);
  element("balance").textContent = formatUsd(balance);
  element("rows").replaceChildren(...rows.map((row) => lineOf(row, now)));
  element("table").hidden = rows.length === 0;
  element("note").hidden = rows.length > 0 && total === rows.length;
  element("note").textContent =
    rows.length === 0
      ? "Nothing is running, nothing is billed."
      : `The ${rows.length} most expensive of ${total.toLocaleString("en-US")}.`;
}

async function poll() {
  const live = element("live");
  try {
    const answer = await fetch("/_emulator/overview", { cache: "no-store" });
    show(await answer.json());
    live.textContent = "live";
    live.className = "";
  } catch {
    live.textContent = "no connection, retrying";
    live.className = "lost";
  }
  setTimeout(poll, pollMs);
}

poll();
