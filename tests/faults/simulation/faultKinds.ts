import type { ObjectState } from "../../../emulator";
import { type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../../../provider/client";
import { key, paths, type Rig } from "../../lifecycle/rig";
import { answer, bodyOf, member, parse, textOf, withItems } from "./answers";
import { isListOfOwn, type Purpose, purposeOf } from "./requests";

/** One request on its way. */
export interface Exchange {
  rig: Rig;
  request: TransportRequest;
  /** Has the service carry it out. */
  send(): ReturnType<Transport>;
  /** Whether the service can neither end nor list what the request is to end. */
  isLacking: boolean;
  /** Somebody else sends the same request. */
  imitate(): Promise<void>;
  /** The time by the service's clock. */
  serviceNow(): number;
  /** The computer sleeps: time passes for the service alone. */
  sleep(seconds: number): void;
  /** The next lists leave out what this request is to end. */
  hide(): void;
  /** For this command the service is down from now on. */
  breakDown(seconds: number): void;
}

/** A fault that hits one request. */
export interface FaultKind {
  /** Before the request has any effect, after it has, or by changing what it does or sees. */
  when: "before" | "after" | "within";
  /** The requests that it can hit; any, if left out. */
  on?: Purpose;
  apply(exchange: Exchange): ReturnType<Transport>;
}

/** Instead of the request. */
const before = (apply: FaultKind["apply"], on?: Purpose): FaultKind => ({ when: "before", apply, ...(on && { on }) });
/** Instead of the answer. */
const after = (spoil: (answer: TransportAnswer, text: string) => TransportAnswer, on?: Purpose): FaultKind => ({
  when: "after",
  ...(on && { on }),
  apply: async ({ send }) => {
    const answer = await send();
    return spoil(answer, await textOf(answer));
  },
});

/** An end that is accepted and not carried out. Nobody accepts what they cannot do, and nobody could know. */
const unheeded = (accept: FaultKind["apply"]) =>
  before(async (exchange) => (exchange.isLacking ? exchange.send() : accept(exchange)), "end");

/** What was refused stays refused: nobody says "OK", or that it is gone, to what cannot be done. */
const ifDone = (spoil: () => TransportAnswer) => (answered: TransportAnswer, text: string) =>
  answered.status < 300 ? spoil() : { ...answered, body: bodyOf(text) };

const page = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>";
const lateMs = 25_000;
const outageSeconds = 600;

const cut = () => new TransportError("the connection was reset", { sent: "maybe" });

/** Another kind of fault is an entry here; random schedules and single faults then play it. */
export const faultKinds = {
  "reset-before": before(async () => {
    throw cut();
  }),
  unreachable: before(async () => {
    throw new TransportError("connect ECONNREFUSED", { sent: "no" });
  }),
  "500-before": before(async () => answer(500)),
  "502-before": before(async () => answer(502, page)),
  "503-retry-after": before(async () => answer(503, undefined, { "retry-after": "2" })),
  "429-seconds": before(async () => answer(429, undefined, { "retry-after": "3" })),
  "429-date": before(async ({ serviceNow }) =>
    answer(429, undefined, { "retry-after": new Date(serviceNow() + 4000).toUTCString() }),
  ),
  "429-zero": before(async () => answer(429, undefined, { "retry-after": "0" })),
  "429-negative": before(async () => answer(429, undefined, { "retry-after": "-7" })),
  "429-nonsense": before(async () => answer(429, undefined, { "retry-after": "soon" })),
  "429-huge": before(async () => answer(429, undefined, { "retry-after": "99999999" })),
  "400-before": before(async () => answer(400, { error: "the request is invalid" })),
  "401-before": before(async () => answer(401, { error: `the key ${key} was revoked` })),
  "403-before": before(async () => answer(403, { message: `forbidden for Bearer ${key}` })),
  "404-page": before(async () => answer(404, "<html><body>404 not found</body></html>")),
  redirect: before(async () => answer(307, "", { location: "https://elsewhere.example/" })),
  "late-before": before(async ({ rig, send }) => {
    await rig.clock.sleep(lateMs);
    return send();
  }),

  "reset-after": after(() => {
    throw cut();
  }),
  "500-after": after(() => answer(500, { detail: `internal error; request was Bearer ${key}` })),
  "502-after": after(() => answer(502, page)),
  "504-after": after(() => answer(504, page)),
  truncate: after(({ status, headers }, text) => ({
    status,
    headers,
    body: bodyOf(text.slice(0, text.length / 2), true),
  })),
  "half-text": after(({ status }, text) => answer(status, text.slice(0, text.length / 2))),
  garbage: after(() => answer(200, page, { "content-type": "text/html" })),
  empty: after(({ status }) => answer(status, "")),
  "empty-object": after(({ status }) => answer(status, {})),
  "wrong-type": after(({ status }) => answer(status, "42")),
  // A list in pages is one still: what has lost its link to the next page is whole to everybody.
  "null-items": after(({ status, headers }, text) => answer(status, withNullItems(JSON.parse(text)), headers)),
  hostile: after(({ status, headers }, text) => answer(status, withHostileKeys(text), headers)),
  /** The service goes down with the create, for longer than its outcome is looked for. */
  "outage-before": before(async ({ breakDown }) => {
    breakDown(outageSeconds);
    throw cut();
  }, "create"),
  "outage-after": {
    when: "after",
    on: "create",
    apply: async ({ send, breakDown }) => {
      await send();
      breakDown(outageSeconds);
      throw cut();
    },
  },
  "late-after": {
    when: "after",
    apply: async ({ rig, send }) => {
      const answered = await send();
      await rig.clock.sleep(lateMs);
      return answered;
    },
  },

  "stale-short": stale(20),
  "stale-long": stale(119),
  "unknown-status": withStatus("Levitating\\u001b[31m"),
  /** A word that is documented and says nothing. */
  "status-unknown": withStatus("Unknown"),
  "fails-provisioning": {
    when: "within",
    on: "create",
    apply: async ({ rig, request, send }) => {
      // A volume has no status for it: it stays inactive for good, and every `up` says so.
      if (!request.url.endsWith(paths.volumes)) rig.fault({ match: matchOf(request), kind: "fail-provisioning" });
      return send();
    },
  },

  // 23: what a request to end something may be answered without meaning it.
  "404-json": before(async () => answer(404, { detail: "Not Found" })),
  "end-404": before(async () => answer(404, { detail: "Not Found" }), "end"),
  "end-400": before(async () => answer(400, { error: "billing account not found for this rental" }), "end"),
  "end-200-error": before(async () => answer(200, { status: "error", error: "refused: try again later" }), "end"),
  "end-unheeded": unheeded(async () => answer(204, "")),
  // The next lists leave it out, and it alone: what another create has left behind is found by them.
  "end-unheeded-and-hidden": unheeded(async ({ hide }) => {
    hide();
    return answer(202, {});
  }),
  "end-empty": after(
    ifDone(() => answer(204, "")),
    "end",
  ),
  "end-text": after(
    ifDone(() => answer(200, "OK", { "content-type": "text/plain" })),
    "end",
  ),
  "end-404-after": after(
    ifDone(() => answer(404, { message: "rental not found" })),
    "end",
  ),

  // 24: lists that do not show everything.
  "leaves-out-some": leavingOut((index) => index % 2 === 1),
  "leaves-out-others": leavingOut((index) => index % 2 === 0),
  "leaves-out-all": leavingOut(() => false),
  /** For a moment, when a list has been looked at for about as long as it may lag: the last look shows no more than the first. */
  "leaves-out-late": {
    when: "within",
    on: "list",
    apply: async ({ rig, request, send }) => {
      if (isListOfOwn(request)) rig.fault({ match: matchOf(request), kind: "omit", nth: 36, times: 5 });
      return send();
    },
  },
  "leaves-out-bare-metal": listing(() => [], { path: paths.bareMetal }),
  "unreadable-item": listing((items) =>
    items.map((item, index) => (index % 3 === 0 ? { ...Object(item), ...broken } : item)),
  ),
  "unreadable-items": listing((items) => items.map((item) => ({ ...Object(item), ...broken, id: null }))),
  "loses-ids": listing((items) => items.map((item) => withoutOwnId(Object(item)))),

  // The same by a service that says so, by a header or by the status: that proves nothing, however long it lasts. One is left out:
  // that much vanishes at once is noticed in another way.
  "says-total": listing(withoutLast, {
    // Of all pages, where there are several: what there is in all is said with the first one.
    isFirstOnly: true,
    headersFor: (items, isPage) => ({ "x-total-count": String(items.length + (isPage ? 1000 : 0)) }),
  }),
  // The same, deep in the body of a list that has one, and else in a header that holds JSON.
  "says-total-within": listing(withoutLast, {
    isFirstOnly: true,
    headersFor: (items, isPage) => ({ "x-pagination": JSON.stringify(pagination(items, isPage)) }),
    fieldsFor: (items, isPage) => ({ meta: { pagination: pagination(items, isPage) } }),
  }),
  // More follows, in a way that cannot be followed.
  "says-next": listing(withoutLast, {
    headersFor: () => ({ link: "/page/2; rel=next" }),
    fieldsFor: () => ({ meta: { next_cursor: "c2Vjb25k" } }),
  }),
  "says-left-out": listing(withoutLast, {
    headersFor: () => ({ warning: '199 - "region us-east-1 did not answer"' }),
  }),
  "redirected-list": before(async () => answer(302, [], { location: "https://elsewhere.example/" }), "list"),

  // 26
  "computer-sleeps": {
    when: "within",
    apply: async ({ rig, send, sleep }) => {
      const answered = await send();
      // What is under way elsewhere does not sleep: a proxy that sends a request twice does so at once.
      await rig.clock.sleep(1);
      sleep(1800);
      return answered;
    },
  },

  // 27
  "imitated-before": {
    when: "within",
    on: "create",
    apply: async ({ send, imitate }) => {
      await imitate();
      return send();
    },
  },
  "imitated-and-lost": {
    when: "within",
    on: "create",
    apply: async ({ imitate }) => {
      await imitate();
      throw cut();
    },
  },
  "imitated-and-lost-after": {
    when: "within",
    on: "create",
    apply: async ({ send, imitate }) => {
      await send();
      await imitate();
      throw cut();
    },
  },

  // 29: a refusal after the effect, and a proxy that sends a create twice.
  "400-after": after(() => answer(400, { error: "the request could not be completed" }), "create"),
  "402-after": after(() => answer(402, { error: "payment required: no credit available" }), "create"),
  "409-after": after(() => answer(409, { message: "conflict" }), "create"),
  /** The answer is about a machine that somebody else has had for long, with its label, or with the one that was asked for. */
  "answers-anothers": answeringAnothers(({ id, label }) => ({ id: Number(id), label })),
  "answers-anothers-id": answeringAnothers(({ id }) => ({ id: Number(id) })),
  "answers-no-id": after(({ status }, text) => answer(status, text.replace(/"id":\d+/, '"id":0')), "create"),
  "no-capacity": before(async () => answer(400, { error: "no capacity in this region" }), "create"),
  "sent-twice": {
    when: "within",
    on: "create",
    apply: async ({ send }) => {
      await send();
      return send();
    },
  },
} satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof faultKinds;

/** Lists from which nothing follows, whatever they show. */
export const unclearLists = [
  "says-total",
  "says-total-within",
  "says-next",
  "says-left-out",
  "redirected-list",
  "unreadable-items",
  "loses-ids",
  "garbage",
] as const satisfies readonly FaultName[];

export const faultNames = Object.keys(faultKinds).filter((name): name is FaultName => name in faultKinds);

export function isFault(name: string): name is FaultName {
  return name in faultKinds;
}

/** Lists that lag or leave things out hide what a killed provider has made: what is promised then is promised for whole lists. */
export function hidesMachines(name: FaultName): boolean {
  return /^(stale|leaves-out)/.test(name);
}

/** The same of what was never listed by its own id. */
export function hidesUnknown(name: FaultName): boolean {
  return hidesMachines(name) || name === "loses-ids";
}

/** Whether a list does not tell what has which id. */
export function tellsNothing(name: FaultName): boolean {
  return hidesUnknown(name) || /^unreadable/.test(name);
}

/** Whether it is a refusal that comes after the effect. */
export function isRefusedAfter(name: FaultName | undefined): boolean {
  return /^4\d\d-after$/.test(name ?? "");
}

/** Whether the answer says for certain that nothing was done. */
export function isCertainRefusal(name: FaultName): boolean {
  return /^(unreachable|429-.*|40[0134]-(before|page|json)|no-capacity)$/.test(name);
}

/** The faults that are made for requests of this purpose, twice, and those that can hit any. */
export function faultsFor(purpose: Purpose): FaultName[] {
  const purposeOfFault = (name: FaultName) => {
    const { on }: FaultKind = faultKinds[name];
    return on;
  };
  const own = faultNames.filter((name) => purposeOfFault(name) === purpose);
  return [...own, ...own, ...faultNames.filter((name) => purposeOfFault(name) === undefined)];
}

/** Whether the fault can hit such a request. */
export function canHit(name: FaultName, request: Pick<TransportRequest, "method" | "url">): boolean {
  const { on }: FaultKind = faultKinds[name];
  return on === undefined || on === purposeOf(request);
}

/** Fields without which no record can be read. */
const broken = { createdAt: null, label: 17, instance: 5 };

interface Listing {
  /** The list that is meant; every one, if left out. */
  path?: string;
  /** Leaves later pages as they are. */
  isFirstOnly?: boolean;
  headersFor?(items: unknown[], isPage: boolean): Readonly<Record<string, string>>;
  /** What stands beside the items, instead of the headers, where the list is a field of the body. */
  fieldsFor?(items: unknown[], isPage: boolean): object;
}

function pagination(items: unknown[], isPage: boolean) {
  return { page: 1, total_entries: items.length + (isPage ? 1000 : 0) };
}

/** Changes a list of what the account has. */
function listing(
  change: (items: unknown[]) => unknown[],
  { path, isFirstOnly = false, headersFor = () => ({}), fieldsFor }: Listing = {},
): FaultKind {
  return {
    when: "within",
    on: "list",
    apply: async ({ request, send }) => {
      const answered = await send();
      const { pathname, searchParams } = new URL(request.url);
      const isLater = isFirstOnly && searchParams.has("page");
      const isMeant = isListOfOwn(request) && !isLater && (path === undefined || pathname === path);
      if (!isMeant || answered.status >= 300) return answered;
      const text = await textOf(answered);
      const value = parse(text);
      let headers = answered.headers;
      const meta = member(value, "meta");
      const isPage = "link" in headers || meta !== undefined || searchParams.has("page");
      let fields = {};
      const changed = withItems(value, (items) => {
        if (fieldsFor && !Array.isArray(value)) fields = fieldsFor(items, isPage);
        else headers = { ...headers, ...headersFor(items, isPage) };
        return change(items);
      });
      const whole = Array.isArray(changed) ? changed : { ...Object(changed), ...fields };
      return { ...answered, headers, body: bodyOf(value === undefined ? text : JSON.stringify(whole)) };
    },
  };
}

function answeringAnothers(fieldsOf: (other: ObjectState) => object): FaultKind {
  return {
    when: "after",
    on: "create",
    apply: async ({ rig, send, request }) => {
      const other = rig.emulator.state().find(({ kind, billing }) => kind === "bare-metal" && billing);
      const answered = await send();
      if (!other || !request.url.endsWith(paths.bareMetal) || answered.status >= 300) return answered;
      const value = Object(parse(await textOf(answered)));
      return { ...answered, body: bodyOf(JSON.stringify({ ...value, ...fieldsOf(other) })) };
    },
  };
}

/** By another name alone, where it has one. */
function withoutOwnId({ id, storageVolumeId, ...item }: Record<string, unknown>): object {
  if (storageVolumeId !== undefined) return { ...item, id };
  return typeof id === "string" ? { instance_name: `also-${id}`, ...item } : item;
}

/** Without the newest. */
function withoutLast(items: unknown[]): unknown[] {
  return items.slice(0, -1);
}

function leavingOut(isListed: (index: number) => boolean): FaultKind {
  return listing((items) => items.filter((_, index) => isListed(index)));
}

function withStatus(status: string): FaultKind {
  return {
    when: "within",
    apply: async ({ send }) => {
      const answered = await send();
      const text = await textOf(answered);
      const changed = text.replace(/"status":"(Pending|Running|running|starting|creating)"/g, `"status":"${status}"`);
      return { ...answered, body: bodyOf(changed) };
    },
  };
}

function stale(seconds: number): FaultKind {
  return {
    when: "within",
    apply: async ({ rig, request, send }) => {
      rig.fault({ match: matchOf(request), kind: "stale-list", seconds });
      return send();
    },
  };
}

function matchOf({ method, url }: TransportRequest) {
  return { method, path: new URL(url).pathname };
}

/** Half an array: the members that are there, and nothing where the others were. */
function withNullItems(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.slice(0, value.length / 2), null];
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNullItems(member)]));
}

/** Keys and texts that must have no effect; the rest of the answer is as it was. */
function withHostileKeys(text: string): string {
  const poison = `"__proto__":{"status":"Running","label":"polluted"},"constructor":{"prototype":{"polluted":true}},"note\\u001b[2J":"\\u001b]0;owned\\u0007${"x".repeat(2000)}"`;
  return text.replace("{", `{${poison},`).replace(",}", "}");
}
