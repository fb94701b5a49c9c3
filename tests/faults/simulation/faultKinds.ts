import { type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../../../provider/client";
import { key, paths, type Rig } from "../../lifecycle/rig";

/** One request on its way. */
export interface Exchange {
  rig: Rig;
  request: TransportRequest;
  /** Has the service carry it out. */
  send(): ReturnType<Transport>;
}

/** A fault that hits one request. */
export interface FaultKind {
  /** Before the request has any effect, after it has, or by changing what it does or sees. */
  when: "before" | "after" | "within";
  apply(exchange: Exchange): ReturnType<Transport>;
}

/** Instead of the request. */
const before = (apply: FaultKind["apply"]): FaultKind => ({ when: "before", apply });
/** Instead of the answer. */
const after = (spoil: (answer: TransportAnswer, text: string) => TransportAnswer): FaultKind => ({
  when: "after",
  apply: async ({ send }) => {
    const answer = await send();
    return spoil(answer, await textOf(answer));
  },
});

const page = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>";
const lateMs = 25_000;

function answer(status: number, body: unknown = { error: { message: "fault" } }, headers = {}): TransportAnswer {
  return { status, headers, body: bodyOf(typeof body === "string" ? body : JSON.stringify(body)) };
}

async function* bodyOf(text: string, cut = false): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  if (cut) throw new TransportError("the connection was reset in the middle of the answer", { sent: "maybe" });
}

async function textOf({ body }: TransportAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

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
  "429-date": before(async ({ rig }) =>
    answer(429, undefined, { "retry-after": new Date(rig.clock.now() + 4000).toUTCString() }),
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
  "null-items": after(({ status }, text) => answer(status, withNullItems(JSON.parse(text)))),
  hostile: after(({ status }, text) => answer(status, withHostileKeys(text))),
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
  "unknown-status": {
    when: "within",
    apply: async ({ send }) => {
      const answered = await send();
      const text = await textOf(answered);
      return {
        ...answered,
        body: bodyOf(text.replace(/"status":"(Pending|Running|running|starting)"/g, unknownStatus)),
      };
    },
  },
  "fails-provisioning": {
    when: "within",
    apply: async ({ rig, request, send }) => {
      // A volume has no status for it: it stays inactive for good, and every `up` says so.
      if (!request.url.endsWith(paths.volumes)) rig.fault({ match: matchOf(request), kind: "fail-provisioning" });
      return send();
    },
  },
} satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof faultKinds;
export const faultNames = Object.keys(faultKinds).filter((name): name is FaultName => name in faultKinds);

/** Lists that lag behind hide what was made before a kill: what is promised after one is promised for current lists. */
export function isStale(name: FaultName): boolean {
  return name.startsWith("stale");
}

const unknownStatus = '"status":"Levitating\\u001b[31m"';

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
