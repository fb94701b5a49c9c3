/** A connection that ended before the answer did. `sent` is "no" only where nothing can have arrived. */
export class ConnectionCut extends Error {
  override name = "ConnectionCut";

  constructor(
    message: string,
    readonly sent: "no" | "maybe",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
