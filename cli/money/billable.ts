import { z } from "zod";
import { estimatedKey, isExpired, type SshEndpoint, volumeKey } from "../../provider/lifecycle";
import { unknownValue } from "../../provider/shared/unknown";
import { definitionOf, marketplaceInstanceType, maskedSecret, type Properties, storageVolumeType } from "../stack";

/** One resource that bills, as far as its inputs and outputs tell of it. */
export interface Billable {
  /** `BareMetalRental` */
  type: string;
  /** The name in the program; a volume created along with a rental has only its label. */
  name: string;
  /** What the service calls it, where that is known. */
  id?: string | undefined;
  region?: string | undefined;
  /** Their count is missing where it is not known, as that of a secret. */
  gpus?: { model: string; count: number | undefined } | undefined;
  sizeInGb?: number | undefined;
  status?: string | undefined;
  createdAt?: string | undefined;
  /** When it was looked at, by the clock of its service: each account may have another. Milliseconds since 1970. */
  seenAt?: number | undefined;
  expiresAtTime?: string | undefined;
  /** ssh addresses, one per node. */
  ssh?: readonly SshEndpoint[] | undefined;
  /** USD, where it is known. */
  costPerHour?: number | undefined;
  /** Whether the price is that of a similar resource or of the price book, because the service shows none of this one. */
  estimated?: boolean | undefined;
  /** What the price depends on besides type, model and region: the term of a rental, the machine of an instance. */
  terms?: string | undefined;
  /** Agreed for a reserved term, in percent. */
  discountPercentage?: number | undefined;
  /** The marketplace machine, where one is given or was chosen. */
  node?: { nodeName: string; clusterName: string | undefined } | undefined;
  /** The criteria for a marketplace machine, where none has been chosen yet. */
  select?: unknown;
  /** The rental that a volume was created with. */
  createdWith?: string | undefined;
  /** Whether it stays when the resource it belongs to is deleted. */
  outlives?: boolean | undefined;
  /** Whether the service could not be asked, and this is what the state last knew. */
  isLastKnown?: boolean | undefined;
  /** Whether it runs already and is taken over, so that nothing is rented. */
  isAdopted?: boolean | undefined;
  /** Whether it was replaced, and is still to be deleted by the next run. */
  isReplaced?: boolean | undefined;
}

/** The model of GPUs of which nothing tells more. */
export const unknownModel = "unknown model";

/** The status of a create whose outcome is not known yet. */
export const unresolvedStatus = "unresolved";

/** What is missing, unknown or secret counts as not given. */
const given = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const facts = z.object({
  region: given(z.string()),
  gpuType: given(z.string()),
  gpuCount: given(z.number()),
  sizeInGb: given(z.number()),
  status: given(z.string()),
  createdAt: given(z.string()),
  expiresAtTime: given(z.string()),
  ssh: given(z.array(z.object({ host: z.string(), port: z.number(), user: z.string() }))),
  costPerHour: given(z.number().nonnegative()),
  termType: given(z.string()),
  termPeriodDays: given(z.number()),
  discountPercentage: given(z.number()),
  clusterName: given(z.string()),
  nodeName: given(z.string()),
  machine: given(z.object({ gpuModel: z.string() })),
  select: given(z.looseObject({ gpuModel: given(z.string()), region: given(z.string()) })),
  keepVolume: given(z.boolean()),
  storageVolume: given(z.object({ isNew: z.literal(true), label: z.string(), sizeInGb: z.number() })),
  attachedStorage: given(
    z.array(z.object({ id: z.union([z.string(), z.number()]), sizeInGb: given(z.number()), costPerHour: z.number() })),
  ),
  /** What the state keeps hidden of a volume that was created with a rental. */
  [volumeKey]: given(z.object({ id: given(z.string()) })),
});
type Facts = z.output<typeof facts>;

const notValues: readonly unknown[] = [maskedSecret, unknownValue];

/** An id as inputs have it; undefined where it is missing, unknown or secret. */
export function readId(value: unknown): string | undefined {
  if (notValues.includes(value) || (typeof value !== "string" && typeof value !== "number")) return undefined;
  return String(value) || undefined;
}

/** What bills for a resource of this type: nothing, itself, or a rental and the volume that was created with it. */
export function billablesOf(type: string, name: string, properties: Properties): Billable[] {
  const definition = definitionOf(type);
  // What has expired and ended stays in the state, and bills no more.
  if (!definition || isExpired(properties)) return [];
  const known = Object.entries(properties).filter(([, value]) => !notValues.includes(value));
  const values = facts.parse(Object.fromEntries(known));
  const { status, createdAt, expiresAtTime, ssh, costPerHour, select } = values;
  const takes = (input: string) => input in definition.inputs.shape;
  const node = takes("nodeName") ? nodeIn(values) : undefined;
  const own = {
    type,
    name,
    region: values.region ?? select?.region,
    status,
    createdAt,
    expiresAtTime,
    ssh,
    costPerHour,
    ...(properties[estimatedKey] === true && costPerHour !== undefined && { estimated: true }),
    ...(values.termType === "reserved" && { discountPercentage: values.discountPercentage }),
    ...(takes("sizeInGb") && { sizeInGb: values.sizeInGb }),
    ...(takes("gpuCount") && { gpus: gpusIn(values), terms: takes("nodeName") ? termsAt(node) : termsIn(values) }),
    ...(node ? { node } : { select }),
  };
  return [own, ...inlineVolume(name, values)];
}

function gpusIn({ gpuType, machine, select, gpuCount }: Facts): Billable["gpus"] {
  return { model: gpuType ?? machine?.gpuModel ?? select?.gpuModel ?? unknownModel, count: gpuCount };
}

function nodeIn({ nodeName, clusterName }: Facts): Billable["node"] {
  return nodeName === undefined ? undefined : { nodeName, clusterName };
}

function termsAt(node: Billable["node"]): string | undefined {
  return node && [node.clusterName, node.nodeName].filter(Boolean).join("/");
}

type Term = Pick<Facts, "termType" | "termPeriodDays" | "discountPercentage">;

function termsIn({ termType = "on-demand", termPeriodDays = 0, discountPercentage = 0 }: Term): string {
  return [termType, termPeriodDays, discountPercentage].join("/");
}

const onDemand = termsIn({});

/** "reserved for 30 days, 20% off", for a rental that is not billed by the hour at the list price. */
export function reservedTerms({ type, terms }: Billable): string | undefined {
  if (terms === undefined || terms === onDemand || type === marketplaceInstanceType) return undefined;
  const [termType = "", days, discount] = terms.split("/");
  return [
    `${termType}${days === "0" ? "" : ` for ${days} days`}`,
    ...(discount === "0" ? [] : [`${discount}% off`]),
  ].join(", ");
}

/** Its price is not included in that of the rental. */
function inlineVolume(rentalName: string, values: Facts): Billable[] {
  // Where the inputs are secret, only what the state keeps of it tells that there is one.
  if (!values.storageVolume && !values[volumeKey]) return [];
  const { label, sizeInGb } = values.storageVolume ?? {};
  return [
    {
      type: storageVolumeType,
      name: label ?? `volume of ${rentalName}`,
      id: idOfInline(values),
      region: values.region,
      sizeInGb,
      status: values.status,
      createdAt: values.createdAt,
      costPerHour: attachedVolume(values)?.costPerHour,
      createdWith: rentalName,
      outlives: values.keepVolume === true,
    },
  ];
}

/** The id of the volume that was created with a rental, from the first time it was seen. */
export function inlineVolumeId(properties: Properties): string | undefined {
  return idOfInline(facts.parse(properties));
}

function idOfInline(values: Facts): string | undefined {
  const id = values[volumeKey]?.id ?? attachedVolume(values)?.id;
  return id === undefined ? undefined : String(id);
}

/** It among the volumes of its rental. States of older versions show what is attached, and not which one was created with it. */
function attachedVolume({ attachedStorage = [], storageVolume, [volumeKey]: kept }: Facts) {
  if (kept?.id !== undefined) return attachedStorage.find(({ id }) => String(id) === kept.id);
  const alike = attachedStorage.filter(({ sizeInGb }) => sizeInGb === storageVolume?.sizeInGb);
  return alike.length === 1 ? alike[0] : undefined;
}

/** "8×h100", "2048 GB": what the money buys. */
export function sizeOf({ gpus, sizeInGb }: Billable): string {
  if (gpus) return `${gpus.count ?? "?"}×${gpus.model}`;
  return sizeInGb === undefined ? "size unknown" : `${sizeInGb} GB`;
}

export function isVolume({ type }: { type: string }): boolean {
  return type === storageVolumeType;
}
