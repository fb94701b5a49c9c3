import { z } from "zod";
import { unknownValue } from "../../provider/lifecycle";
import type { Properties } from "../stack";

/** What bills by the hour, in the words for people. */
export type BillableKind = "bare-metal rental" | "virtual machine" | "storage volume" | "marketplace instance";

/** One thing that bills, as the inputs and outputs of its resource tell of it. */
export interface Billable {
  kind: BillableKind;
  /** The name that the program gave to it; a volume made along with a rental has only its label. */
  name: string;
  region?: string | undefined;
  gpus?: { model: string; count: number } | undefined;
  sizeInGb?: number | undefined;
  status?: string | undefined;
  createdAt?: string | undefined;
  expiresAtTime?: string | undefined;
  /** USD, where it is known. */
  costPerHour?: number | undefined;
  /** Whether the price is that of another of its kind, because this one does not run yet. */
  estimated?: boolean | undefined;
  /** What the price depends on besides kind, model and region: the term of a rental, the machine of an instance. */
  terms?: string | undefined;
  /** What a marketplace machine must be like, where none has been chosen yet. */
  select?: unknown;
  /** The rental that a volume was made with. */
  madeWith?: string | undefined;
  /** Whether it outlives the resource it belongs to. */
  outlives?: boolean | undefined;
}

/** The status of something that was asked for and whose outcome nobody has learned yet. */
export const unresolvedStatus = "unresolved";

/** What is missing, unknown or secret counts as not told. */
const told = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const facts = z.object({
  region: told(z.string()),
  gpuType: told(z.string()),
  gpuCount: told(z.number()),
  sizeInGb: told(z.number()),
  status: told(z.string()),
  createdAt: told(z.string()),
  expiresAtTime: told(z.string()),
  costPerHour: told(z.number()),
  termType: told(z.string()),
  termPeriodDays: told(z.number()),
  discountPercentage: told(z.number()),
  nodeName: told(z.string()),
  machine: told(z.object({ gpuModel: z.string() })),
  select: told(z.looseObject({ gpuModel: told(z.string()), region: told(z.string()) })),
  keepVolume: told(z.boolean()),
  storageVolume: told(z.object({ isNew: z.literal(true), label: z.string(), sizeInGb: z.number() })),
  attachedStorage: told(z.array(z.object({ label: z.string(), costPerHour: z.number() }))),
});
type Facts = z.output<typeof facts>;

/** A secret in a preview, or a value that is not known yet: nothing to reckon with. */
const masked = ["[secret]", unknownValue];

/** The things that bill for a resource of this type: none, one, or a rental with the volume that was made with it. */
export function billablesOf(type: string, name: string, properties: Properties): Billable[] {
  const known = Object.entries(properties).filter(
    ([, value]) => !(typeof value === "string" && masked.includes(value)),
  );
  const told = facts.parse(Object.fromEntries(known));
  switch (type) {
    case "BareMetalRental":
      return [rental("bare-metal rental", name, told), ...inlineVolume(name, told)];
    case "VmRental":
      return [rental("virtual machine", name, told)];
    case "StorageVolume":
      return [{ ...every("storage volume", name, told), sizeInGb: told.sizeInGb }];
    case "MarketplaceInstance":
      return [instance(name, told)];
    default:
      return [];
  }
}

function every(kind: BillableKind, name: string, told: Facts) {
  const { region, status, createdAt, expiresAtTime, costPerHour } = told;
  return { kind, name, region, status, createdAt, expiresAtTime, costPerHour };
}

function rental(kind: BillableKind, name: string, told: Facts): Billable {
  return {
    ...every(kind, name, told),
    gpus: { model: told.gpuType ?? "unknown model", count: told.gpuCount ?? 0 },
    terms: writeTerms(told),
  };
}

const term = facts.pick({ termType: true, termPeriodDays: true, discountPercentage: true });

/** The terms of a rental by the `term` of its record. */
export function rentalTerms(record: unknown): string {
  return writeTerms(term.safeParse(record).data ?? {});
}

function writeTerms({ termType = "on-demand", termPeriodDays = 0, discountPercentage = 0 }: Partial<Facts>): string {
  return [termType, termPeriodDays, discountPercentage].join("/");
}

function instance(name: string, told: Facts): Billable {
  const model = told.machine?.gpuModel ?? told.select?.gpuModel ?? "unknown model";
  return {
    ...every("marketplace instance", name, told),
    region: told.region ?? told.select?.region,
    gpus: { model, count: told.gpuCount ?? 0 },
    terms: told.nodeName,
    select: told.nodeName === undefined ? told.select : undefined,
  };
}

/** Its price is not in the rental's own. */
function inlineVolume(rentalName: string, told: Facts): Billable[] {
  if (!told.storageVolume) return [];
  const { label, sizeInGb } = told.storageVolume;
  return [
    {
      kind: "storage volume",
      name: label,
      region: told.region,
      sizeInGb,
      status: told.status,
      createdAt: told.createdAt,
      costPerHour: told.attachedStorage?.find((volume) => volume.label === label)?.costPerHour,
      madeWith: rentalName,
      outlives: told.keepVolume === true,
    },
  ];
}

/** "8×h100", "2048 GB": what the money buys. */
export function sizeOf({ gpus, sizeInGb }: Billable): string {
  if (gpus) return `${gpus.count}×${gpus.model}`;
  return sizeInGb === undefined ? "size unknown" : `${sizeInGb} GB`;
}
