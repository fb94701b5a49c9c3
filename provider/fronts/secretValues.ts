import type { EngineLink } from "../lifecycle";
import { redactValues } from "../shared/cleanText";
import { isSecret } from "../shared/secretValue";
import { withoutMarks } from "./propertyValue";

/** What programs have given as secrets, in all calls of this process: no message shows it. */
export class SecretValues {
  readonly #texts = new Set<string>();

  /** Every text in a value that is a secret. */
  note(value: unknown): void {
    if (typeof value === "string") this.#texts.add(value);
    else if (typeof value === "object" && value !== null) for (const member of Object.values(value)) this.note(member);
  }

  /** The same for values in which secrets are marked. */
  noteMarked(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    if (isSecret(value)) this.note(withoutMarks(value));
    else for (const member of Object.values(value)) this.noteMarked(member);
  }

  redact(text: string): string {
    return redactValues(text, [...this.#texts]);
  }

  /** The engine, told nothing of them. */
  engine(link: EngineLink): EngineLink {
    return {
      ...link,
      status: (urn, text) => link.status(urn, this.redact(text)),
      info: (urn, text) => link.info(urn, this.redact(text)),
      warn: (urn, text) => link.warn(urn, this.redact(text)),
    };
  }
}
