import { operations, type UndocumentedName, undocumentedNames, undocumentedOperations } from "../../service";
import { NotFoundError } from "../errors";
import type { CallOptions, Http } from "../http/http";
import { callTo } from "../http/tableCall";
import type { ConfiguredOperation, ConfiguredOperations } from "./configuredOperations";
import { findDescribed, type IdForm } from "./openApi";

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
}

export type ResolvedOperations = Record<UndocumentedName, ResolvedOperation>;

/** Finds out how the service does what it does not document. Its description is asked for when first needed, and once. */
export class Discovery {
  readonly #http: Http;
  readonly #configured: ConfiguredOperations;
  #description: Promise<unknown> | undefined;

  constructor(http: Http, configured: ConfiguredOperations) {
    this.#http = http;
    this.#configured = configured;
  }

  async resolve(name: UndocumentedName, options: CallOptions = {}): Promise<ResolvedOperation> {
    const conventional = undocumentedOperations[name];
    const configured = this.#configured[name];
    if (configured) return fromConfiguration(configured, conventional.idField);
    const described = findDescribed(await this.#describe(options), name);
    if (described) return { kind: "described", ...described };
    const { method, path, idField } = conventional;
    return { kind: "conventional", method, path, idField };
  }

  async resolveAll(options: CallOptions = {}): Promise<ResolvedOperations> {
    const resolve = async (name: UndocumentedName) => [name, await this.resolve(name, options)] as const;
    return recordOf(await Promise.all(undocumentedNames.map(resolve)));
  }

  /** The lookup is shared, so it goes by no caller's signal or deadline; each caller waits for it by its own. */
  #describe(options: CallOptions): Promise<unknown> {
    const call = callTo(this.#http, "getOpenApi", operations.getOpenApi, undefined);
    if (this.#description === undefined) {
      this.#description = this.#http.send(call).then(
        ({ value }) => value,
        (error: unknown) => {
          // 404 is documented, and says that there is none. Anything else may be over by the next use.
          if (error instanceof NotFoundError) return undefined;
          this.#description = undefined;
          throw error;
        },
      );
    }
    return this.#http.waitFor(call, this.#description, options);
  }
}

function fromConfiguration(
  { method, path, idField }: ConfiguredOperation,
  usualField: string | undefined,
): ResolvedOperation {
  return { kind: "configured", method, path, idField: path.includes("{id}") ? idField : (idField ?? usualField) };
}

function recordOf<Name extends string, Value>(entries: readonly (readonly [Name, Value])[]): Record<Name, Value>;
function recordOf(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}
