/** The connection was cut before the answer was complete. `sent` is "no" only where the request cannot have arrived. */
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
