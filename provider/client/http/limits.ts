/** What one call may take. Times are in milliseconds. */
export interface Limits {
  /** Until a connection stands. Kept by the default transport. */
  connect: number;
  /** Until the status and headers of an answer are there, and between two pieces of its body. Kept by the default transport. */
  headers: number;
  /** One exchange from its start to the last byte of the answer. */
  total: number;
  /** The same for chat, images and audio, where the answer may take as long as the work does: also the limit of their headers. */
  inferenceTotal: number;
  /** How long chat, images and audio that the service puts off are sent again, unless the caller has a deadline: somebody is waiting. */
  inferencePatience: number;
  /** Bytes of one answer. Kept by the default transport. */
  bytes: number;
  /** Bytes that are read of an answer that is an error. */
  errorBytes: number;
  /** Exchanges per call, where the service does not itself ask to come back later (429, Retry-After). */
  attempts: number;
  /** Upper bound of the first wait between two exchanges; it doubles each time. */
  backoff: number;
  /** Upper bound of any wait that the service has not asked for. */
  backoffCap: number;
  /** A call without a deadline ends after this many times the total limit of one exchange, waits included. */
  deadlineFactor: number;
}

export const defaultLimits: Limits = {
  connect: 10_000,
  headers: 60_000,
  total: 120_000,
  inferenceTotal: 600_000,
  inferencePatience: 60_000,
  bytes: 64 * 1024 * 1024,
  errorBytes: 2 * 1024 * 1024,
  attempts: 8,
  backoff: 500,
  backoffCap: 20_000,
  deadlineFactor: 2,
};
