export interface TransportErrorDetail {
  /** "no" only when the request is known not to have reached the service. */
  sent: "no" | "maybe";
  /** Whether trying again is pointless: a certificate that is not trusted, a client that was closed. */
  permanent?: boolean;
}

/** What a transport rejects with: there was no answer, or not all of it. */
export class TransportError extends Error {
  readonly sent: "no" | "maybe";
  readonly permanent: boolean;

  constructor(message: string, { sent, permanent = false }: TransportErrorDetail) {
    super(message);
    Object.defineProperty(this, "name", { value: new.target.name });
    this.sent = sent;
    this.permanent = permanent;
  }
}
