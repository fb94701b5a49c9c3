import { append, element, Keyed, setText } from "./dom.js";

/** @typedef {import("../overview").Overview} Overview */
/** @typedef {Overview["faults"][number]} WaitingFault */
/** @typedef {import("../faultChoices").FaultChoices} FaultChoices */

/**
 * What a kind of fault needs besides its request.
 * @type {Partial<Record<string, { name: string, label: string, value: string, read: (text: string) => unknown }>>}
 */
const further = {
  status: { name: "status", label: "Status", value: "503", read: Number },
  delay: { name: "ms", label: "Milliseconds", value: "5000", read: Number },
  "stale-list": { name: "seconds", label: "Seconds", value: "60", read: Number },
  "late-ssh": { name: "seconds", label: "Seconds", value: "60", read: Number },
  pages: { name: "size", label: "Items per page", value: "2", read: Number },
  "drop-fields": {
    name: "fields",
    label: "Fields",
    value: "meta",
    read: (text) => text.split(",").map((field) => field.trim()),
  },
};

const message = element("message", HTMLParagraphElement);
const form = element("fault", HTMLFormElement);
const target = element("fault-target", HTMLSelectElement);
const kind = element("fault-kind", HTMLSelectElement);
const detail = element("fault-detail", HTMLInputElement);
const detailLabel = element("fault-detail-label", HTMLLabelElement);
const waiting = element("waiting", HTMLUListElement);
const clear = element("clear-faults", HTMLButtonElement);

/** @param {string} id */
function numberIn(id) {
  return element(id, HTMLInputElement).valueAsNumber;
}

/**
 * Sends a change and says what came of it.
 * @param {string} path
 * @param {string} done
 * @param {{ method?: string, body?: unknown }} request
 */
async function change(path, done, { method = "POST", body } = {}) {
  try {
    const answer = await fetch(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = answer.ok ? done : await reasonIn(answer);
    setText(message, text);
    message.className = answer.ok ? "good" : "bad";
  } catch {
    setText(message, "The emulator does not answer.");
    message.className = "bad";
  }
  dispatchEvent(new Event("changed"));
}

/** @param {Response} answer */
async function reasonIn(answer) {
  const body = await answer.json();
  return body?.error?.message ?? body?.message ?? `answered ${answer.status}`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const [method, path] = target.value.split(" ");
  const more = further[kind.value];
  const fault = {
    match: { method, path },
    kind: kind.value,
    nth: numberIn("fault-nth"),
    times: numberIn("fault-times"),
    ...(more ? { [more.name]: more.read(detail.value) } : {}),
  };
  change("/_emulator/faults", "The fault is set.", { body: [fault] });
});

kind.addEventListener("change", showDetail);
function showDetail() {
  const more = further[kind.value];
  detailLabel.hidden = more === undefined;
  if (!more) return;
  setText(element("fault-detail-name", HTMLSpanElement), more.label);
  detail.value = more.value;
}

clear.addEventListener("click", () => change("/_emulator/faults", "All faults are cleared.", { method: "DELETE" }));

element("clock", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  const advanceSeconds = numberIn("clock-amount") * Number(element("clock-unit", HTMLSelectElement).value);
  change("/_emulator/clock", "The clock was advanced.", { body: { advanceSeconds } });
});

element("reset", HTMLButtonElement).addEventListener("click", () => {
  if (!confirm("Remove all machines, volumes, faults and requests of this emulator?")) return;
  change("/_emulator/reset", "Everything was removed.");
});

/** @type {Keyed<{ key: string, fault: WaitingFault }, HTMLLIElement>} */
const faults = new Keyed(waiting, {
  key: ({ key }) => key,
  make: () => document.createElement("li"),
  update: (line, { fault: { fault, passing, hits } }) => {
    const times = hits === 1 ? "once" : `${hits} times`;
    const after = passing === 0 ? "" : `, after ${passing} more`;
    setText(line, `${fault.kind}: ${fault.match.method} ${fault.match.path}, ${times}${after}`);
  },
});

/** @param {Overview["faults"]} set */
export function showFaults(set) {
  faults.show(set.map((fault, index) => ({ key: String(index), fault })));
  waiting.hidden = set.length === 0;
  clear.hidden = set.length === 0;
}

/** Asks what there is to choose from. */
export async function loadChoices() {
  const answer = await fetch("/_emulator/faults");
  /** @type {FaultChoices} */
  const { kinds, operations } = await answer.json();
  append(target, "option", "any request").value = "* *";
  for (const { name, method, path } of operations) {
    append(target, "option", `${name} (${method} ${path})`).value = `${method} ${path}`;
  }
  for (const one of kinds) append(kind, "option", one).value = one;
  showDetail();
}
