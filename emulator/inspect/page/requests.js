import { append, element, Keyed, setText } from "./dom.js";
import { count } from "./format.js";

/** @typedef {import("../overview").Overview} Overview */
/** @typedef {Overview["requests"]["latest"][number]} Request */

const total = element("request-count", HTMLSpanElement);
const note = element("no-requests", HTMLParagraphElement);
const list = element("requests", HTMLOListElement);

/** @type {Keyed<Request, HTMLLIElement>} */
const lines = new Keyed(list, {
  key: ({ number, at }) => `${number} ${at}`,
  make: ({ method, path, at }) => {
    const line = document.createElement("li");
    const time = append(line, "time", at.slice(11, 19), "sub");
    time.dateTime = at;
    append(line, "b", method);
    append(line, "span", path, "path");
    append(line, "span", "", "outcome");
    return line;
  },
  update: (line, { outcome }) => {
    const shown = line.querySelector(".outcome");
    if (!shown) throw new Error("a request lacks its outcome");
    setText(shown, describe(outcome));
    shown.className = `outcome ${toneOf(outcome)}`.trim();
  },
});

/** @param {Request["outcome"]} outcome */
function describe(outcome) {
  if (!outcome) return "…";
  const { kind, status, milliseconds, faults } = outcome;
  const ended = { answered: "", cut: "connection cut", truncated: "cut in the middle" }[kind];
  const fault = faults.length > 0 ? `fault: ${faults.join(", ")}` : "";
  return [status, ended, fault, `${milliseconds} ms`].filter((part) => part !== null && part !== "").join(" · ");
}

/** @param {Request["outcome"]} outcome */
function toneOf(outcome) {
  if (!outcome) return "wait";
  if (outcome.kind !== "answered" || (outcome.status ?? 0) >= 400) return "bad";
  return outcome.faults.length > 0 ? "wait" : "good";
}

/** @param {Overview["requests"]} requests */
export function showRequests({ latest, total: all }) {
  lines.show(latest);
  list.hidden = latest.length === 0;
  note.hidden = latest.length > 0;
  setText(
    total,
    all === 0
      ? ""
      : latest.length < all
        ? `the latest ${latest.length} of ${all.toLocaleString("en-US")}`
        : count(all, "request"),
  );
}
