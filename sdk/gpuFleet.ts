import * as pulumi from "@pulumi/pulumi";
import { BareMetalRental } from "./bareMetalRental";
import { type FleetMember, toFleetMember, writeInventory, writeSshConfig } from "./fleetMember";
import { planMembers, validateFleetArgs } from "./fleetPlan";
import { FleetReady } from "./fleetReady";
import type { BareMetalFleetArgs, GpuFleetArgs, VmFleetArgs } from "./gpuFleetArgs";
import { StorageVolume } from "./storageVolume";
import { VmRental } from "./vmRental";
import { VolumeAttachment } from "./volumeAttachment";

export type { FleetMember } from "./fleetMember";
export type { BareMetalFleetArgs, BareMetalRegion, GpuFleetArgs, VmFleetArgs, VmRegion } from "./gpuFleetArgs";

/**
 * Several machines of one kind, spread over regions. They are rented in parallel and waited for together, so a fleet of any
 * size is ready about as soon as a single machine. With `options: {refresh: always}` in Pulumi.yaml, every `pulumi up` replaces
 * the members that have failed or ended, and only those.
 */
export class GpuFleet extends pulumi.ComponentResource {
  /** The machines with their addresses, prices and regions. Unknown in a preview that changes them. */
  readonly members: pulumi.Output<FleetMember[]>;
  /** USD per hour for all members and the shared volume. Machines without a price count as 0. */
  readonly costPerHour: pulumi.Output<number>;
  /** For `~/.ssh/config`: one host per member, named after it. */
  readonly sshConfig: pulumi.Output<string>;
  /** Ansible inventory, with one group for the fleet and one per region. */
  readonly inventory: pulumi.Output<string>;
  /**
   * The rentals, in order. They do not wait until they are ready, so until the next refresh their outputs are those at creation.
   * `members` has the current values.
   */
  readonly rentals: readonly (BareMetalRental | VmRental)[];
  /** The shared volume. */
  readonly volume: StorageVolume | undefined;

  constructor(name: string, args: GpuFleetArgs, options?: pulumi.ComponentResourceOptions) {
    const problems = validateFleetArgs(args);
    if (problems.length > 0) throw new pulumi.RunError(`GpuFleet "${name}" is invalid: ${problems.join("; ")}.`);
    super("gpufleet:index:GpuFleet", name, {}, options);

    const child = { parent: this };
    this.rentals = args.kind === "vm" ? rentVms(name, args, child) : rentBareMetal(name, args, child);
    this.volume = makeVolume(name, args, child);
    const gate = new FleetReady(
      `${name}-ready`,
      {
        kind: args.kind,
        rentals: this.rentals.map((rental, index) => ({ name: `${name}-${index}`, id: rental.id })),
        storageVolumeId: this.volume?.storageVolumeId,
        maxCostPerHour: args.maxCostPerHour,
        waitForReady: args.waitForReady,
        waitForSsh: args.waitForSsh,
        timeouts: args.timeouts,
      },
      child,
    );
    const attachments = this.volume
      ? attachToAll(name, this.rentals, this.volume, { ...child, dependsOn: [gate] })
      : [];

    // Whoever uses a member can rely on its volume being attached.
    const attached = pulumi.all(attachments.map((attachment) => attachment.id));
    this.members = pulumi.all([gate.members, attached]).apply(([members]) => members.map(toFleetMember));
    this.costPerHour = gate.costPerHour;
    this.sshConfig = this.members.apply((members) => writeSshConfig(name, members));
    this.inventory = this.members.apply((members) => writeInventory(name, members));
    this.registerOutputs({
      members: this.members,
      costPerHour: this.costPerHour,
      sshConfig: this.sshConfig,
      inventory: this.inventory,
    });
  }
}

function rentBareMetal(name: string, args: BareMetalFleetArgs, options: pulumi.CustomResourceOptions) {
  const { kind, count, regions, fallbackRegions, sharedVolume, maxCostPerHour, waitForReady, waitForSsh, ...rest } =
    args;
  const shared = { ...rest, ...memberDefaults(args), fallbackRegions: fallbackRegions && [...fallbackRegions] };
  return planMembers(name, args).map(
    (member) => new BareMetalRental(member.name, { ...shared, region: member.region }, options),
  );
}

function rentVms(name: string, args: VmFleetArgs, options: pulumi.CustomResourceOptions) {
  const { kind, count, regions, fallbackRegions, maxCostPerHour, waitForReady, waitForSsh, ...rest } = args;
  const shared = { ...rest, ...memberDefaults(args), fallbackRegions: fallbackRegions && [...fallbackRegions] };
  return planMembers(name, args).map(
    (member) => new VmRental(member.name, { ...shared, region: member.region }, options),
  );
}

/** Set by the fleet for every member: the gate waits for them, and one limit applies to all. */
function memberDefaults({ count, maxCostPerHour }: GpuFleetArgs) {
  return { waitForReady: false, ...(maxCostPerHour !== undefined && { __fleet: { count, maxCostPerHour } }) };
}

function makeVolume(
  name: string,
  args: GpuFleetArgs,
  options: pulumi.CustomResourceOptions,
): StorageVolume | undefined {
  const [region] = args.regions;
  if (args.kind === "vm" || !args.sharedVolume || region === undefined) return undefined;
  return new StorageVolume(`${name}-volume`, { region, sizeInGb: args.sharedVolume.sizeInGb }, options);
}

/** One attachment per member, so that removing one does not touch the others. The gate has waited already. */
function attachToAll(
  name: string,
  rentals: readonly (BareMetalRental | VmRental)[],
  { storageVolumeId }: StorageVolume,
  options: pulumi.CustomResourceOptions,
): VolumeAttachment[] {
  return rentals.map(({ rentalId }, index) => {
    const args = { storageVolumeId, rentalIds: [rentalId], waitForReady: false };
    return new VolumeAttachment(`${name}-volume-on-${index}`, args, options);
  });
}
