import type { HandlerFaults } from "../../state";
import type { Exchange, Service } from "../exchange";
import { breakItem, dropFields, type Edit, omit, type PageRequest, reverse } from "./edits";
import type { Fault } from "./spec";

/** What a fault does to one request, stage by stage. What is left out happens as usual. */
export interface Effect {
  /** Waits before the service sees the request, or after it was carried out. */
  delay?: { when: "before" | "after"; ms: number };
  /** Takes the place of the request: nothing is done. Of several, the first counts. */
  instead?: (service: Service) => Exchange;
  /** Changes how the handler carries the request out. */
  handler?: Partial<HandlerFaults>;
  /** Carries the request out twice, and answers with the first or the second. */
  twice?: "first" | "second";
  /** Changes the body of the answer. Of several, each. */
  edit?: Edit;
  /** Answers with one page of the list. */
  page?: Omit<PageRequest, "page">;
  /** Changes the answer to a request that was carried out. Of several, the first counts. */
  answer?: (response: Response, service: Service) => Promise<Exchange>;
}

const badGateway =
  "<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>";
const bodiless = new Set([204, 205, 304]);

export function effectOf(fault: Fault): Effect {
  switch (fault.kind) {
    case "status":
      return fault.when === "before"
        ? { instead: (service) => ({ kind: "answered", response: statusResponse(fault, service) }) }
        : { answer: async (_, service) => ({ kind: "answered", response: statusResponse(fault, service) }) };
    case "reset-before":
      return { instead: () => ({ kind: "cut" }) };
    case "reset-after":
      return { answer: async () => ({ kind: "cut" }) };
    case "delay":
      return { delay: fault };
    case "truncate":
      return { answer: truncate };
    case "garbage":
      return { answer: async () => ({ kind: "answered", response: html(badGateway) }) };
    case "stale-list":
      return { handler: { staleMs: fault.seconds * 1000 } };
    case "omit":
      return { edit: omit(fault) };
    case "pages":
      return { page: fault };
    case "reverse-list":
      return { edit: reverse };
    case "unreadable-item":
      return { edit: breakItem(fault) };
    case "drop-fields":
      return { edit: dropFields(fault.fields) };
    case "twice":
      return { twice: fault.answer };
    case "fail-provisioning":
      return { handler: { failProvisioning: true } };
    case "late-ssh":
      return { handler: { sshDelayMs: fault.seconds * 1000 } };
    case "no-ssh":
      return { handler: { sshDelayMs: null } };
    case "gpu-trouble":
      return { handler: { gpuTrouble: { missing: fault.missing, broken: fault.broken } } };
  }
}

function statusResponse(
  { status, headers = {}, body }: Extract<Fault, { kind: "status" }>,
  service: Service,
): Response {
  if (bodiless.has(status)) return new Response(null, { status, headers });
  if (typeof body === "string") return new Response(body, { status, headers });
  const response = body === undefined ? service.errorResponse(status, "fault") : Response.json(body, { status });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

async function truncate(response: Response): Promise<Exchange> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const part = bytes.subarray(0, bytes.length / 2);
  return { kind: "truncated", status: response.status, headers: response.headers, whole: bytes.length, part };
}

function html(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/html" } });
}
