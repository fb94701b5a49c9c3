/** The error schemas of the interface, by status; 405 is the emulator's own. */
const codes = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  500: "INTERNAL_SERVER_ERROR",
} as const;

export type ErrorStatus = keyof typeof codes;

export function errorCode(status: number): string {
  return Object.entries(codes).find(([known]) => Number(known) === status)?.[1] ?? `STATUS_${status}`;
}

/** Thrown by a handler that refuses a request; becomes the error answer. */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(
    readonly status: ErrorStatus,
    message: string,
  ) {
    super(message);
  }
}
