import { readTimestamp } from "../../../provider/shared/timestamp";
import { nameOf } from "../../../provider/shared/urn";
import type { Orphan } from "../../account";
import { isVolume, sizeOf, usdCell } from "../../money";
import { Expression, importLine, Names, packageVariable, writeComment, writeResource, writeValue } from "../../program";
import { type StateResource, volumeAttachmentType } from "../../stack";
import type { Attachments } from "./attachments";
import { type Adoptable, type Refused, titleOf } from "./survey";

export interface Adopting extends Attachments {
  /** `project/stack` */
  stack: string;
  /** What the state of the stack has already. */
  existing: readonly StateResource[];
  adoptable: readonly Adoptable[];
  refused: readonly Refused[];
  notes: readonly string[];
  now: number;
}

/** What a variable and a resource are called where there is nothing else to call them by. */
const fallbacks: Readonly<Record<string, string>> = {
  BareMetalRental: "rental",
  VmRental: "vm",
  StorageVolume: "volume",
  MarketplaceInstance: "instance",
};

/** The variable with the addresses to log in to. */
const sshVariable = "ssh";

export function adoptingProgram(adopting: Adopting): string {
  const { adoptable, attachments, existing, refused, remarks, notes } = adopting;
  const variables = new Names([packageVariable, sshVariable]);
  const resources = new Names(existing.map(({ urn }) => nameOf(urn)));
  const names = new Map(adoptable.map((one) => [one, namesFor(one.what, variables, resources)]));
  const output = (one: Adoptable, name: string) => new Expression(`${names.get(one)?.variable}.${name}`);
  const nameIn = (one: Adoptable) => names.get(one)?.resource ?? "";
  const machines = adoptable.filter(({ what }) => !isVolume(what));
  const isUsed = (one: Adoptable) => machines.includes(one) || attachments.some(({ volume }) => volume === one);
  const written = adoptable.map((one) => {
    const { what, inputs } = one;
    const variable = isUsed(one) ? names.get(one)?.variable : undefined;
    const resource = writeResource({ variable, type: what.type, name: nameIn(one), inputs });
    return ["", ...writeComment(describe(what)), resource];
  });
  const attached = attachments.map(({ adoptId, volume, rentals }) => {
    const inputs = {
      adoptId,
      storageVolumeId: output(volume, "storageVolumeId"),
      rentalIds: rentals.map((rental) => output(rental, "rentalId")),
    };
    const name = resources.resource(`${nameIn(volume)}-attachment`, "attachment");
    return ["", writeResource({ type: volumeAttachmentType, name, inputs })];
  });
  const ssh = Object.fromEntries(machines.map((one) => [nameIn(one), output(one, "sshCommand")]));
  return [
    ...heading(adopting),
    importLine,
    ...written.flat(),
    ...attached.flat(),
    ...(machines.length > 0 ? ["", `export const ${sshVariable} = ${writeValue(ssh)};`] : []),
    ...(refused.length > 0 ? ["", ...writeComment("Not included:", ...refused.map(describeRefused))] : []),
    ...(remarks.length + notes.length > 0 ? ["", ...writeComment(...remarks, ...notes)] : []),
    "",
  ].join("\n");
}

/** Whether the state has resources that another program than this one made. */
export function hasResources({ existing }: Pick<Adopting, "existing">): boolean {
  return existing.some(({ type }) => !type.startsWith("pulumi:"));
}

function heading({ stack, existing, now }: Adopting): string[] {
  return [
    ...writeComment(
      `Written by \`gpufleet import\` for stack ${stack} at ${new Date(now).toISOString()}.`,
      '`up` shows "create" for each resource, but creates nothing on the service: each adopts the one named by adoptId.',
      "After that, adoptId can be removed. `destroy` terminates these machines and deletes these volumes, like everything else of the stack.",
      ...(hasResources({ existing })
        ? [
            `Stack ${stack} has resources already: add this to its program. Used instead of that program, it would delete them.`,
          ]
        : []),
    ),
    "",
  ];
}

function namesFor(what: Orphan, variables: Names, resources: Names): { variable: string; resource: string } {
  const fallback = fallbacks[what.type] ?? "machine";
  // Without a label its name is its id, which says little on its own.
  const text = what.name === what.id && /^\d/.test(what.id) ? `${fallback}-${what.id}` : what.name;
  return {
    variable: variables.variable(text, fallback),
    resource: resources.resource(text, `${fallback}-${what.id}`),
  };
}

/** `bare-metal rental 1042 "train": 8×h100 in us-central-1, Running, since 2026-11-15T18:02:00.000Z, $19.92/h` */
function describe(what: Orphan): string {
  const { region, status, createdAt, costPerHour, estimated = false } = what;
  const since = readTimestamp(createdAt) === undefined ? [] : [`since ${createdAt}`];
  const price = costPerHour === undefined ? "price unknown" : `${usdCell(costPerHour, { estimated })}/h`;
  const place = region === undefined ? sizeOf(what) : `${sizeOf(what)} in ${region}`;
  return `${titleOf(what)}: ${[place, status, ...since, price].join(", ")}`;
}

function describeRefused({ what, reason }: Refused): string {
  return `- ${describe(what)}: ${reason}.`;
}
