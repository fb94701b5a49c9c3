import { z } from "zod";
import { readTimestamp } from "../shared/timestamp";
import { answer } from "./answer";

export const listMarketplaceMachinesRequest = z.strictObject({
  filters: z.looseObject({}).default({}).describe("Filters for the list. The service does not document their names."),
});

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

/** GPUs of the machine that can still be rented. */
export function availableGpus(machine: Pick<MarketplaceMachine, "reserved" | "gpus_reserved" | "gpus_total">): number {
  return machine.reserved ? 0 : Math.max(0, machine.gpus_total - machine.gpus_reserved);
}

export const createMarketplaceInstanceRequest = z.strictObject({
  cluster_name: z.string().min(1).describe("Cluster of the machine, from the marketplace listing."),
  node_name: z.string().min(1).describe("Id of the machine, from the marketplace listing."),
  gpu_count: z.number().describe("Number of GPUs, at most as many as are free on the machine."),
  image: z
    .looseObject({
      name: z.string().describe("Name of the container image."),
      tag: z.string().optional().describe("Tag of the container image."),
      port: z.number().optional().describe("Port that the container listens on."),
    })
    .optional()
    .describe("Container to run."),
});

/** The answer to a create is not shown; the id comes under one of four names. */
export const createMarketplaceInstanceResponse = answer({
  instance_id: z.string().optional(),
  instance_name: z.string().optional(),
  instanceName: z.string().optional(),
  id: z.union([z.string(), z.number()]).optional(),
}).transform((body, context) => {
  const id = body.instance_id ?? body.instance_name ?? body.instanceName ?? body.id;
  if (id !== undefined && id !== "") return { ...body, instanceId: String(id) };
  context.addIssue({ code: "custom", message: "has none of instance_id, instance_name, instanceName and id" });
  return z.NEVER;
});

const hardware = answer({ gpus: z.array(answer({ model: z.string().optional() })).optional() }).nullish();
const price = z.union([
  z.number(),
  answer({ amount: z.number().optional(), price: answer({ amount: z.number() }).optional() }),
]);

/** An entry of the instance list. Nothing of it is documented: only the id is demanded. */
export const marketplaceInstance = answer({
  id: z.union([z.string(), z.number()]),
  start: z.string().nullish(),
  end: z.string().nullish(),
  created: z.string().nullish(),
  sshCommand: z.string().nullish(),
  portMappings: z
    .array(answer({ domain: z.string().optional(), protocol: z.string().optional(), port: z.number().optional() }))
    .nullish(),
  instance: answer({
    status: z.string().nullish(),
    gpu_count: z.number().nullish(),
    gpus_total: z.number().nullish(),
    owner: z.unknown().optional(),
    hardware,
    pricing: price.nullish(),
    node_name: z.string().nullish(),
    cluster_name: z.string().nullish(),
  }).nullish(),
  status: z.string().nullish(),
}).transform((entry) => ({
  ...entry,
  id: String(entry.id),
  status: entry.instance?.status ?? entry.status ?? "unknown",
  gpuCount: entry.instance?.gpu_count ?? undefined,
  gpuModel: entry.instance?.hardware?.gpus?.[0]?.model,
  nodeName: entry.instance?.node_name ?? undefined,
  clusterName: entry.instance?.cluster_name ?? undefined,
  price: readPrice(entry.instance?.pricing),
  createdAt: entry.created ?? entry.start ?? undefined,
  endedAt: readTimestamp(entry.end) === undefined ? undefined : (entry.end ?? undefined),
  sshCommand: entry.sshCommand ?? undefined,
}));

function readPrice(pricing: z.infer<typeof price> | null | undefined): number | undefined {
  if (typeof pricing === "number") return pricing;
  return pricing?.price?.amount ?? pricing?.amount;
}

export const listMarketplaceInstancesResponse = answer({ instances: z.array(marketplaceInstance) });

export const marketplaceHistoryResponse = answer({
  instance_history: z.array(
    answer({
      instance_name: z.string().optional(),
      started_at: z.string().nullish(),
      terminated_at: z.string().nullish(),
      price: price.nullish(),
      hardware: z.unknown().optional(),
      gpu_count: z.number().nullish(),
    }),
  ),
});

export const terminateMarketplaceInstanceRequest = z.strictObject({
  id: z.string().min(1).describe("Id of the instance."),
});
export const terminateMarketplaceInstanceResponse = answer({
  status: z.string().optional(),
  message: z.string().nullish(),
  error_code: z.unknown().optional(),
});

export type MarketplaceMachine = z.infer<typeof marketplaceMachine>;
export type MarketplaceInstance = z.infer<typeof marketplaceInstance>;
