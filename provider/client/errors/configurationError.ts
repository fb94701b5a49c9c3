/** The client was given options that it cannot work with. Thrown by `createClient`. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    Object.defineProperty(this, "name", { value: new.target.name });
  }
}
