import { operations, type UndocumentedName, undocumentedNames, undocumentedOperations } from "../../service";
import * as errors from "../errors";
import type { CallOptions, Http } from "../http";
import { callTo } from "../http";
import type { ConfiguredOperation, ConfiguredOperations } from "./configuredOperations";
import { findDescribed, type IdForm } from "./openApi";
import { Sightings } from "./sightings";

/** How an undocumented operation is done, and how that is known. */
export interface ResolvedOperation {
  /** By the configuration, by the service's own description, or by what such services usually do. */
  kind: "configured" | "described" | "conventional";
  method: string;
  path: string;
  /** The field of the body that carries the id; undefined where the path does, or none is needed. */
  idField: string | undefined;
  /** How the id is written, where that is not simply as a number. */
  idForm?: IdForm;
  /** Constants that are sent along in the body. */
  fields?: Readonly<Record<string, unknown>> | undefined;
}

export type ResolvedOperations = Record<UndocumentedName, ResolvedOperation>;

/**
 * Finds out how the service does what it does not document. Its description is asked for when first needed, and once. Where there
 * seems to be none, the conventional form is used at once, so that nobody waits; and the description is asked for again, until it
 * was missing often enough to be believed. By then a conventional operation that fails, too, was missing as often.
 */
export class Discovery {
  readonly #http: Http;
  readonly #configured: ConfiguredOperations;
  readonly #missing = new Sightings();
  #description: Promise<unknown> | undefined;

  constructor(http: Http, configured: ConfiguredOperations) {
    this.#http = http;
    this.#configured = configured;
  }

  async resolve(name: UndocumentedName, options: CallOptions = {}): Promise<ResolvedOperation> {
    const conventional = undocumentedOperations[name];
    const configured = this.#configured[name];
    if (configured) return fromConfiguration(configured, conventional.idField);
    const description = await this.#describe(options).catch((error: unknown) => {
      throw withAdvice(error, name);
    });
    const described = findDescribed(description, name);
    if (described) return { kind: "described", ...described };
    const { method, path, idField } = conventional;
    return { kind: "conventional", method, path, idField };
  }

  async resolveAll(options: CallOptions = {}): Promise<ResolvedOperations> {
    const resolve = async (name: UndocumentedName) => [name, await this.resolve(name, options)] as const;
    return recordOf(await Promise.all(undocumentedNames.map(resolve)));
  }

  /** The lookup is shared, so it goes by no caller's signal or deadline; each caller waits for it by its own. */
  async #describe(options: CallOptions): Promise<unknown> {
    const call = callTo(this.#http, "getOpenApi", operations.getOpenApi, undefined);
    if (this.#description === undefined) {
      if (this.#missing.holdAt(this.#http.now())) return undefined;
      this.#description = this.#http.send(call).then(
        ({ value }) => value,
        (error: unknown) => {
          // Whatever it was may be over by the next use.
          this.#description = undefined;
          if (!saysThereIsNone(error)) throw error;
          this.#missing.note(this.#http.now());
          return undefined;
        },
      );
    }
    return this.#http.waitFor(call, this.#description, options);
  }
}

/** 400, 403 and 404 are documented. A key that is rejected (401) is so for everything else, too, and is an error as it is there. */
function saysThereIsNone(error: unknown): boolean {
  return (
    error instanceof errors.NotFoundError ||
    error instanceof errors.ForbiddenError ||
    error instanceof errors.BadRequestError
  );
}

/** How to do without a description that cannot be had. */
function withAdvice(error: unknown, name: UndocumentedName): unknown {
  if (!(error instanceof errors.ServiceError)) return error;
  const { status, reason, cause } = error;
  const advice =
    `It tells how the service does what its interface does not show. To do without it, configure ${name} in gpufleet:operations ` +
    "(docs/undocumented-operations.md). Destroy uses new configuration only with --run-program.";
  if (error instanceof errors.ServerError) {
    return new errors.ServerError(error, { status, reason, cause, advice, retryAfter: error.retryAfter });
  }
  if (error instanceof errors.UnreadableAnswerError) {
    return new errors.UnreadableAnswerError(error, { status, reason, cause, advice });
  }
  return error;
}

function fromConfiguration(
  { method, path, idField, fields }: ConfiguredOperation,
  usualField: string | undefined,
): ResolvedOperation {
  const field = path.includes("{id}") ? idField : (idField ?? usualField);
  return { kind: "configured", method, path, idField: field, ...(fields && { fields }) };
}

function recordOf<Name extends string, Value>(entries: readonly (readonly [Name, Value])[]): Record<Name, Value>;
function recordOf(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}
