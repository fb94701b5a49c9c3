/** Polls the figures and shows them. */
import { loadChoices, showFaults } from "./controls.js";
import { append, element, Keyed, setText } from "./dom.js";
import { formatTime, formatUsd } from "./format.js";
import { showMachine } from "./machine.js";
import { showRequests } from "./requests.js";
import { showResources } from "./resources.js";

/** @typedef {import("../overview").Overview} Overview */

const pollMs = 1000;

const live = element("live", HTMLSpanElement);
const main = element("main", HTMLElement);

/** @type {Keyed<[string, string], HTMLDivElement>} */
const figures = new Keyed(element("figures", HTMLDListElement), {
  key: ([name]) => name,
  make: ([name]) => {
    const figure = document.createElement("div");
    append(figure, "dt", name);
    append(figure, "dd");
    return figure;
  },
  update: (figure, [, value]) => {
    if (figure.lastElementChild) setText(figure.lastElementChild, value);
  },
});

/**
 * @param {Overview} overview
 * @returns {[string, string][]}
 */
function figuresOf({ total, costPerHour, spent, balances }) {
  return [
    [total === 1 ? "Billable resource" : "Billable resources", total.toLocaleString("en-US")],
    ["Per hour", formatUsd(costPerHour)],
    ["Spent so far", formatUsd(spent)],
    ...balances.map(
      ({ account, usd }) =>
        /** @type {[string, string]} */ ([balances.length > 1 ? `Balance of ${account}` : "Balance", formatUsd(usd)]),
    ),
  ];
}

async function update() {
  try {
    const answer = await fetch("/_emulator/overview", { cache: "no-store" });
    /** @type {Overview} */
    const overview = await answer.json();
    figures.show(figuresOf(overview));
    showResources(overview);
    showRequests(overview.requests);
    showFaults(overview.faults);
    setText(element("now", HTMLElement), formatTime(overview.now));
    await showMachine();
    setText(live, "live");
    live.className = main.className = "";
  } catch {
    setText(live, "no connection, retrying");
    live.className = "lost";
    // What is shown is no longer true: it must not look as if it were.
    main.className = "stale";
  }
}

async function poll() {
  await update();
  setTimeout(poll, pollMs);
}

addEventListener("changed", update);
loadChoices().catch(() => setText(live, "no connection, retrying"));
poll();
