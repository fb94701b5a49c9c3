import { z } from "zod";
import { type UndocumentedName, undocumentedOperations } from "../../service";
import { ConfigurationError } from "../errors";
import { describeProblems } from "../text/problems";

/** How the service does something that it does not document. */
export interface ConfiguredOperation {
  method: string;
  /** Below the base URL; `{id}` in it stands for the id. */
  path: string;
  /** The field of the body that carries the id: the usual one for a POST without `{id}` in its path. */
  idField?: string | undefined;
}

export type ConfiguredOperations = Partial<Record<UndocumentedName, ConfiguredOperation | undefined>>;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const configuredOperation = z.strictObject({
  method: z.enum(methods),
  // A path and nothing else: it is put behind the base URL, and must not lead to another host.
  path: z.string().regex(/^\/(?!\/)[^\s\\#]*$/),
  idField: z.string().min(1).optional(),
});

const configuredOperations = z.strictObject({
  terminateBareMetalRental: configuredOperation.optional(),
  terminateVmRental: configuredOperation.optional(),
  listVmRentals: configuredOperation.optional(),
  deleteStorageVolume: configuredOperation.optional(),
  detachStorageVolume: configuredOperation.optional(),
} satisfies Record<UndocumentedName, z.ZodType>);

/** Checks what was configured, and says in full what is wrong with it. */
export function readConfiguredOperations(given: ConfiguredOperations): z.output<typeof configuredOperations> {
  const parsed = configuredOperations.safeParse(given);
  if (!parsed.success) {
    const lines = describeProblems(parsed.error, given).map(
      ({ property, value, rule }) => `\n  ${property} ${value}: ${rule === unknownField ? unknownName : rule}`,
    );
    throw new ConfigurationError(`gpufleet:operations is not valid:${lines.join("")}`);
  }
  for (const [name, operation] of Object.entries(parsed.data)) {
    if (name === "listVmRentals" || operation === undefined || operation.method === "POST") continue;
    if (!operation.path.includes("{id}") && operation.idField === undefined) {
      throw new ConfigurationError(
        `gpufleet:operations is not valid:\n  ${name}.path ${JSON.stringify(operation.path)}: must hold {id}, or an idField must be given`,
      );
    }
  }
  return parsed.data;
}

const unknownField = "is not a field of this operation";
const unknownName = `is not one of ${Object.keys(undocumentedOperations).join(", ")}`;
