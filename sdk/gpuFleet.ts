import * as pulumi from "@pulumi/pulumi";
import { fleetNames } from "../provider/shared/fleetNames";
import { BareMetalRental } from "./bareMetalRental";
import { FleetEnded } from "./fleetEnded";
import { attachable, type FleetMember, toFleetMember, writeInventory, writeSshConfig } from "./fleetMember";
import { inOneSentence, planMembers, validateFleetArgs } from "./fleetPlan";
import { FleetReady } from "./fleetReady";
import type { BareMetalFleetArgs, GpuFleetArgs, VmFleetArgs } from "./gpuFleetArgs";
import { StorageVolume } from "./storageVolume";
import { VmRental } from "./vmRental";
import { VolumeAttachment } from "./volumeAttachment";

export type { FleetMember } from "./fleetMember";
export type {
  BareMetalFleetArgs,
  BareMetalRegion,
  GpuFleetArgs,
  VmFleetArgs,
  VmRegion,
} from "./gpuFleetArgs";

type Rental = BareMetalRental | VmRental;

/** The classes that a fleet is made of: all of one front. */
export interface FleetParts {
  BareMetalRental: typeof BareMetalRental;
  VmRental: typeof VmRental;
  StorageVolume: typeof StorageVolume;
  VolumeAttachment: typeof VolumeAttachment;
  FleetReady: typeof FleetReady;
  FleetEnded: typeof FleetEnded;
}

const dynamicParts: FleetParts = { BareMetalRental, VmRental, StorageVolume, VolumeAttachment, FleetReady, FleetEnded };

/**
 * Several machines of one kind, spread over regions. They are rented in parallel and waited for together, so a fleet of any
 * size is ready about as soon as a single machine, and terminated about as quickly. With `options: {refresh: always}` in Pulumi.yaml, every `pulumi up` replaces
 * the members that have failed or ended, and only those.
 */
export class GpuFleet extends pulumi.ComponentResource {
  protected static readonly parts: FleetParts = dynamicParts;

  /** The machines with their addresses, prices and regions. Unknown in a preview that changes them. */
  readonly members: pulumi.Output<FleetMember[]>;
  /**
   * USD per hour for all members and a shared volume that the fleet has created; missing if one of the prices is unknown. Each
   * of `members` has its own, and `totalCost` adds up those that are known.
   */
  readonly costPerHour: pulumi.Output<number | undefined>;
  /** For `~/.ssh/config`: one host per member, named after it. */
  readonly sshConfig: pulumi.Output<string>;
  /** Ansible inventory, with one group for the fleet and one per region. */
  readonly inventory: pulumi.Output<string>;
  /**
   * The rentals, in order. They do not wait until they are ready, so until the next refresh their outputs are those at creation.
   * `members` has the current values.
   */
  readonly rentals: readonly (BareMetalRental | VmRental)[];
  /** The shared volume, if the fleet has created it. */
  readonly volume: StorageVolume | undefined;

  constructor(name: string, args: GpuFleetArgs, options?: pulumi.ComponentResourceOptions) {
    const problems = validateFleetArgs(args);
    if (problems.length > 0) throw new pulumi.RunError(`GpuFleet "${name}" is invalid: ${inOneSentence(problems)}`);
    super("gpufleet:index:GpuFleet", name, {}, options);

    const { parts } = new.target;
    const child = { parent: this };
    const ended = new parts.FleetEnded(fleetNames.ended(name), { kind: args.kind, timeouts: args.timeouts }, child);
    const memberOptions = optionsOfMembers(args, { ...child, dependsOn: [ended] });
    this.rentals =
      args.kind === "vm" ? rentVms(parts, name, args, memberOptions) : rentBareMetal(parts, name, args, memberOptions);
    this.volume = makeVolume(parts, name, args, child);
    const gate = new parts.FleetReady(
      fleetNames.ready(name),
      {
        kind: args.kind,
        rentals: this.rentals.map((rental, index) => ({ name: fleetNames.member(name, index), id: rental.id })),
        minCount: args.minCount,
        storageVolumeId: this.volume?.storageVolumeId,
        maxCostPerHour: args.maxCostPerHour,
        waitForReady: args.waitForReady,
        waitForSsh: args.waitForSsh,
        waitForGpus: args.waitForGpus,
        timeouts: args.timeouts,
      },
      child,
    );
    const storageVolumeId = this.volume?.storageVolumeId ?? existingVolume(args);
    const attachment =
      storageVolumeId && this.rentals.length > 0
        ? attachToAll(parts, name, args, { rentals: this.rentals, gate, storageVolumeId }, child)
        : undefined;

    // Whoever uses a member can rely on its volume being attached.
    // `destroy --run-program` of a fleet that never came up: the gate is not in the state, and has no outputs at all.
    this.members = pulumi.all([gate.members, attachment?.id]).apply(([members]) => (members ?? []).map(toFleetMember));
    this.costPerHour = gate.costPerHour;
    this.sshConfig = this.members.apply((members) =>
      writeSshConfig(name, args.kind === "vm" ? "VmRental" : "BareMetalRental", members),
    );
    this.inventory = this.members.apply((members) => writeInventory(name, members));
    // The engine writes them at every step of every run: what names all members would be most of its work with a large fleet.
    this.registerOutputs({ costPerHour: this.costPerHour });
  }
}

/** Options of member i, given those before it. */
type MemberOptions = (rentals: readonly Rental[]) => pulumi.CustomResourceOptions;

/**
 * With `{ batch: n }` member i waits for member i − n, so that at most n are replaced at a time: each ends the old machine, and
 * is done when the new one is ready.
 */
function optionsOfMembers(
  { replacement = "create-first" }: GpuFleetArgs,
  { dependsOn, ...options }: { parent: pulumi.Resource; dependsOn: pulumi.Resource[] },
): MemberOptions {
  if (replacement === "create-first") return () => ({ ...options, dependsOn });
  const batch = typeof replacement === "object" ? replacement.batch : undefined;
  return (rentals) => {
    const before = batch === undefined ? undefined : rentals[rentals.length - batch];
    return { ...options, dependsOn: before ? [...dependsOn, before] : dependsOn, deleteBeforeReplace: true };
  };
}

function rentBareMetal(
  parts: FleetParts,
  name: string,
  args: BareMetalFleetArgs,
  optionsOf: MemberOptions,
): BareMetalRental[] {
  const { kind, count, minCount, regions, fallbackRegions, sharedVolume, ...rest } = withoutGateArgs(args);
  const shared = { ...rest, ...memberDefaults(args), fallbackRegions: fallbackRegions && [...fallbackRegions] };
  const rentals: BareMetalRental[] = [];
  for (const member of planMembers(name, args)) {
    rentals.push(new parts.BareMetalRental(member.name, { ...shared, region: member.region }, optionsOf(rentals)));
  }
  return rentals;
}

function rentVms(parts: FleetParts, name: string, args: VmFleetArgs, optionsOf: MemberOptions): VmRental[] {
  const { kind, count, minCount, regions, fallbackRegions, ...rest } = withoutGateArgs(args);
  const shared = { ...rest, ...memberDefaults(args), fallbackRegions: fallbackRegions && [...fallbackRegions] };
  const rentals: VmRental[] = [];
  for (const member of planMembers(name, args)) {
    rentals.push(new parts.VmRental(member.name, { ...shared, region: member.region }, optionsOf(rentals)));
  }
  return rentals;
}

/** The arguments without those that only the gate reads. */
function withoutGateArgs<Args extends GpuFleetArgs>(args: Args) {
  const { maxCostPerHour, replacement, waitForReady, waitForSsh, waitForGpus, ...rest } = args;
  return rest;
}

/** Set by the fleet for every member: the gate waits for them, and what they must know of the whole is hidden. */
function memberDefaults({ count, maxCostPerHour, regions, replacement }: GpuFleetArgs) {
  const limit = maxCostPerHour === undefined ? {} : { maxCostPerHour };
  return {
    waitForReady: false,
    __fleet: { count, regions: [...regions], ...(replacement && { replacement }), ...limit },
  };
}

function makeVolume(
  parts: FleetParts,
  name: string,
  args: GpuFleetArgs,
  options: pulumi.CustomResourceOptions,
): StorageVolume | undefined {
  const [region] = args.regions;
  if (args.kind === "vm" || !args.sharedVolume || "id" in args.sharedVolume || region === undefined) return undefined;
  const { sizeInGb, protect } = args.sharedVolume;
  const own = protect === undefined ? options : { ...options, protect };
  // Some services call a volume active only once a rental uses it, and the members use it when they are ready.
  return new parts.StorageVolume(fleetNames.volume(name), { region, sizeInGb, waitForReady: false }, own);
}

function existingVolume(args: GpuFleetArgs): pulumi.Output<number> | undefined {
  if (args.kind === "vm" || !args.sharedVolume || !("id" in args.sharedVolume)) return undefined;
  return pulumi.output(args.sharedVolume.id);
}

interface Attached {
  rentals: readonly Rental[];
  gate: FleetReady;
  storageVolumeId: pulumi.Output<number>;
}

/**
 * One attachment for all: members are added to it and removed from it in place. The gate has waited already. Where it does not
 * wait for all, only those that were ready are attached, and stay so until they are known to be over.
 */
function attachToAll(
  parts: FleetParts,
  name: string,
  { minCount, waitForReady }: GpuFleetArgs,
  { rentals, gate, storageVolumeId }: Attached,
  options: pulumi.CustomResourceOptions,
): VolumeAttachment {
  const rentalIds =
    minCount === undefined || waitForReady === false
      ? rentals.map(({ rentalId }) => rentalId)
      : gate.members.apply((members) => attachable(members ?? []));
  const args = { storageVolumeId, rentalIds, waitForReady: false };
  return new parts.VolumeAttachment(fleetNames.attachment(name), args, { ...options, dependsOn: [gate] });
}
