import type { HandlerFaults } from "../state";

/** How a request went: answered, cut off, or cut off in the middle of the answer. */
export type Exchange =
  | { kind: "answered"; response: Response }
  | { kind: "cut" }
  | { kind: "truncated"; status: number; headers: Headers; whole: number; part: Uint8Array };

/** The service as the gateway sees it. */
export interface Service {
  fetch(request: Request, faults: HandlerFaults): Promise<Response>;
  /** An error in the shape that the service's errors have. */
  errorResponse(status: number, message: string): Response;
}
