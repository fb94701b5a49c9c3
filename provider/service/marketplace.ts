import { z } from "zod";
import { readMoment, readTimestamp } from "../shared/timestamp";
import { amount, answer, ifReadable, name, refusalIn, time } from "./answer";
import { price, pricePerPeriod } from "./price";

export const listMarketplaceMachinesRequest = z.strictObject({
  filters: z.looseObject({}).default({}).describe("Filters for the list. The service does not document their names."),
});

const orUnknown = z.string().catch("unknown");
const orZero = amount.catch(0);

/** A list of which only what can be read is kept. */
function orNone<Item extends z.ZodType>(item: Item) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) => items.flatMap((one) => item.safeParse(one).data ?? []));
}

const gpu = { hardware_type: z.string().optional(), model: z.string(), ram: z.number() };

export const marketplaceMachine = answer({
  id: z.string(),
  status: z.string(),
  hardware: answer({
    cpus: z.array(
      answer({ hardware_type: z.string(), model: z.string(), cores: z.number(), virtual_cores: z.number() }),
    ),
    gpus: z.array(
      answer({
        ...gpu,
        hardware_type: z.string(),
        clock_speed: z.number(),
        compute_power: z.number(),
        interface: z.string(),
      }),
    ),
    storage: z.array(answer({ hardware_type: z.string(), capacity: z.number() })),
    ram: z.array(answer({ hardware_type: z.string(), capacity: z.number() })),
  }),
  instances: z.array(answer({ id: z.string(), status: z.string(), hardware: z.array(answer({ gpu: answer(gpu) })) })),
  location: answer({ region: z.string() }),
  network: answer({}),
  gpus_total: z.number(),
  gpus_reserved: z.number(),
  has_persistent_storage: z.boolean(),
  supplier_id: z.string(),
  pricing: answer({ price: answer({ amount: z.number(), period: z.string(), agent: z.string() }) }),
  reserved: z.boolean(),
  cluster_name: z.string(),
});
export const listMarketplaceMachinesResponse = answer({ instances: z.array(marketplaceMachine) });

const listedHardware = answer({
  cpus: orNone(answer({ model: orUnknown, cores: orZero, virtual_cores: orZero })),
  gpus: orNone(answer({ model: orUnknown, ram: orZero })),
  storage: orNone(answer({ capacity: orZero })),
  ram: orNone(answer({ capacity: orZero })),
});

/**
 * A machine as the client reads it. What renting one takes is demanded: its id, its cluster and its price. Of the rest, what
 * cannot be read counts as nothing.
 */
export const listedMarketplaceMachine = answer({
  id: name,
  cluster_name: z.string().min(1),
  pricing: answer({ price: pricePerPeriod }),
  status: orUnknown,
  hardware: listedHardware.catch({ cpus: [], gpus: [], storage: [], ram: [] }),
  instances: orNone(answer({ id: name })),
  location: answer({ region: orUnknown }).catch({ region: "unknown" }),
  gpus_total: ifReadable(amount),
  gpus_reserved: orZero,
  has_persistent_storage: z.boolean().catch(false),
  supplier_id: orUnknown,
  reserved: z.boolean().catch(false),
}).transform((machine) => ({ ...machine, gpus_total: machine.gpus_total ?? machine.hardware.gpus.length }));

/** GPUs of the machine that can still be rented. */
export function availableGpus(machine: Pick<MarketplaceMachine, "reserved" | "gpus_reserved" | "gpus_total">): number {
  return machine.reserved ? 0 : Math.max(0, machine.gpus_total - machine.gpus_reserved);
}

export const createMarketplaceInstanceRequest = z.strictObject({
  cluster_name: z.string().min(1).describe("Cluster of the machine, from the marketplace listing."),
  node_name: z.string().min(1).describe("Id of the machine, from the marketplace listing."),
  gpu_count: z.number().describe("Number of GPUs, at most as many as are free on the machine."),
  image: z
    .looseObject(
      {
        name: z.string().describe("Name of the container image."),
        tag: z.string().optional().describe("Tag of the container image."),
        port: z.number().optional().describe("Port that the container listens on."),
      },
      'must be an object such as { name: "pytorch/pytorch", tag: "latest" }',
    )
    .optional()
    .describe("Container to run."),
});

/** The names under which an id is seen, the only one that the interface knows first. */
const idNames = ["id", "instance_id", "instance_name", "instanceName"] as const;
const idFields = {
  id: ifReadable(name),
  instance_id: ifReadable(name),
  instance_name: ifReadable(name),
  instanceName: ifReadable(name),
};

/** Everything that a record calls itself, without repetition. */
function namesIn(record: { [Name in (typeof idNames)[number]]?: string | null | undefined }): string[] {
  return [...new Set(idNames.flatMap((name) => record[name] || []))];
}

/** An id that stands where a record could: a word with a digit, and no sentence. */
const bareId = /^(?=.*\d)[\w.:-]{1,100}$/;
const recordFields = ["instance", "data", "instances"] as const;
const mostNested = 3;

/**
 * What the one record of an answer calls itself. An answer with several tells of none which is meant. A text that stands for a record may be
 * something else in a refusal.
 */
function namesOfOnly(body: unknown, isRefusal: boolean, nested = 0): string[] {
  if (typeof body === "string")
    return !isRefusal && bareId.test(body) && readTimestamp(body) === undefined ? [body] : [];
  if (typeof body !== "object" || body === null || nested > mostNested) return [];
  if (Array.isArray(body)) return body.length === 1 ? namesOfOnly(body[0], isRefusal, nested + 1) : [];
  const record: Readonly<Record<string, unknown>> = { ...body };
  const below = recordFields.flatMap((field) => namesOfOnly(record[field], isRefusal, nested + 1));
  return [...new Set([...namesIn(answer(idFields).parse(record)), ...below])];
}

/**
 * The answer to a create is not shown. The id comes under one of four names, or under several at once, of which only one is
 * known to list and terminate: `instanceId` is the likeliest, `instanceIds` are all of them.
 */
export const createMarketplaceInstanceResponse = z.unknown().transform((body, context) => {
  const instanceIds = namesOfOnly(body, refusalIn(body) !== undefined);
  const [instanceId] = instanceIds;
  if (instanceId !== undefined) return { ...answer(idFields).safeParse(body).data, instanceId, instanceIds };
  context.addIssue({ code: "custom", message: `has none of ${idNames.join(", ")}` });
  return z.NEVER;
});

const hardware = ifReadable(answer({ gpus: ifReadable(z.array(answer({ model: ifReadable(z.string()) }))) }));
const instancePrice = z.union([
  price,
  pricePerPeriod,
  answer({ price: z.union([price, pricePerPeriod]) }).transform((one) => one.price),
]);
const text = ifReadable(z.string().nullable());
const moment = ifReadable(time.nullable());
const namesOnly = answer({ ...idFields, instance: ifReadable(answer(idFields)) });

/** What an entry of the instance list calls itself, however little else of it can be read. */
export function instanceNamesIn(entry: unknown): string[] {
  const { data } = namesOnly.safeParse(entry);
  return data ? [...new Set([...namesIn(data), ...namesIn(data.instance ?? {})])] : [];
}

/** What it has where the interface has ids. */
export function instanceIdIn(entry: unknown): string | undefined {
  const { data } = namesOnly.safeParse(entry);
  return data?.id || data?.instance?.id || undefined;
}

/** What is said of an instance, at the top of its entry or below `instance`. */
const instanceFields = {
  ...idFields,
  status: z.string().nullish(),
  gpu_count: ifReadable(amount),
  gpuCount: ifReadable(amount),
  hardware,
  pricing: ifReadable(instancePrice),
  price: ifReadable(instancePrice),
  node_name: text,
  nodeName: text,
  cluster_name: text,
  clusterName: text,
  sshCommand: text,
  ssh_command: text,
  created: moment,
  created_at: moment,
  createdAt: moment,
  start: moment,
  started_at: moment,
  startedAt: moment,
  end: moment,
  ended_at: moment,
  endedAt: moment,
  terminated_at: moment,
  terminatedAt: moment,
};
const instanceBelow = ifReadable(answer(instanceFields));
type InstanceFields = z.output<z.ZodObject<typeof instanceFields>>;

/** The first of these fields that is there, at the top first. */
function pick<Key extends keyof InstanceFields>(
  entry: InstanceFields & { instance?: InstanceFields | null | undefined },
  ...keys: Key[]
): NonNullable<InstanceFields[Key]> | undefined {
  for (const record of [entry, entry.instance]) {
    for (const key of keys) if (record?.[key] !== null && record?.[key] !== undefined) return record[key];
  }
  return undefined;
}

/** An entry of the instance list, with whatever else the service says of it. */
export interface MarketplaceInstance {
  [field: string]: unknown;
  id: string;
  names: string[];
  /** Whether it is called so where the interface has ids, and not by another name alone. */
  hasId: boolean;
  status: string;
  gpuCount: number | undefined;
  gpuModel: string | undefined;
  nodeName: string | undefined;
  clusterName: string | undefined;
  price: number | undefined;
  createdAt: string | undefined;
  /** It may be started anew: unlike the time of creation, this does not tell it from others. */
  startedAt: string | undefined;
  endedAt: string | undefined;
  sshCommand: string | undefined;
  portMappings: { domain: string | undefined; protocol: string | undefined; port: number | undefined }[] | undefined;
}

/** Nothing of it is documented: only the id is demanded, and a status that can be read. */
export const marketplaceInstance: z.ZodType<MarketplaceInstance> = answer({
  ...instanceFields,
  portMappings: ifReadable(z.array(answer({ domain: text, protocol: text, port: ifReadable(amount) }))),
  // It may hold the id and the status: where it is there, it must be readable.
  instance: answer(instanceFields).nullish(),
}).transform((entry, context) => {
  const names = instanceNamesIn(entry);
  const [id] = names;
  if (id === undefined) {
    context.addIssue({ code: "custom", message: `has none of ${idNames.join(", ")}` });
    return z.NEVER;
  }
  // The last may be a plan, the others tell of the past.
  const end = pick(entry, "terminated_at", "terminatedAt", "ended_at", "endedAt", "end");
  return {
    ...entry,
    id,
    names,
    hasId: Boolean(entry.id),
    status: entry.instance?.status ?? entry.status ?? "unknown",
    gpuCount: pick(entry, "gpu_count", "gpuCount"),
    gpuModel: pick(entry, "hardware")?.gpus?.[0]?.model ?? undefined,
    nodeName: pick(entry, "node_name", "nodeName"),
    clusterName: pick(entry, "cluster_name", "clusterName"),
    price: readPrice(pick(entry, "pricing", "price")),
    createdAt: pick(entry, "created", "created_at", "createdAt"),
    startedAt: pick(entry, "start", "started_at", "startedAt"),
    endedAt: readMoment(end) === undefined ? undefined : end,
    sshCommand: pick(entry, "sshCommand", "ssh_command"),
    portMappings: entry.portMappings?.map(({ domain, protocol, port }) => ({
      domain: domain ?? undefined,
      protocol: protocol ?? undefined,
      port: port ?? undefined,
    })),
  };
});

function readPrice(pricing: z.output<typeof instancePrice> | undefined): number | undefined {
  return typeof pricing === "object" ? pricing.amount : pricing;
}

export const listMarketplaceInstancesResponse = answer({ instances: z.array(marketplaceInstance) });

/** An entry of the history, of which nothing is documented either. */
export interface PastMarketplaceInstance {
  [field: string]: unknown;
  instance_name: string | undefined;
  started_at: string | undefined;
  terminated_at: string | undefined;
  price: number | undefined;
  gpu_count: number | undefined;
}

export const pastMarketplaceInstance: z.ZodType<PastMarketplaceInstance> = answer({
  ...instanceFields,
  instance: instanceBelow,
}).transform((entry) => {
  const [instance_name] = instanceNamesIn(entry);
  return {
    ...entry,
    instance_name,
    started_at: pick(entry, "started_at", "startedAt", "start", "created", "created_at", "createdAt"),
    terminated_at: pick(entry, "terminated_at", "terminatedAt", "end", "ended_at", "endedAt"),
    price: readPrice(pick(entry, "price", "pricing")),
    gpu_count: pick(entry, "gpu_count", "gpuCount"),
  };
});

export const marketplaceHistoryResponse = answer({ instance_history: z.array(pastMarketplaceInstance) });

export const terminateMarketplaceInstanceRequest = z.strictObject({
  id: z.string().min(1).describe("Id of the instance."),
});
export const terminateMarketplaceInstanceResponse = answer({
  status: z.string().optional(),
  message: z.string().nullish(),
  error_code: z.unknown().optional(),
});

export type MarketplaceMachine = z.output<typeof listedMarketplaceMachine>;
