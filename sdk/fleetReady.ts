import * as pulumi from "@pulumi/pulumi";
import type { FleetReadyArgs } from "./args";
import type { MemberFacts } from "./fleetMember";
import { isMocked } from "./mocks";
import { ServiceResource } from "./serviceResource";

/** The gate of a fleet: one resource that waits for all members. Created by `GpuFleet`, not by programs. */
export class FleetReady extends ServiceResource {
  declare readonly members: pulumi.Output<MemberFacts[]>;
  declare readonly costPerHour: pulumi.Output<number | undefined>;

  constructor(name: string, args: FleetReadyArgs, options?: pulumi.CustomResourceOptions) {
    super("FleetReady", name, args, ["members", "costPerHour"], options);
    if (!isMocked()) return;
    // Mocks hardly ever know of this resource: then the fleet has its members all the same, at no known price.
    this.members = pulumi
      .all([this.members, args.rentals])
      .apply(([members, rentals]) => members ?? rentals.map(unseen));
  }
}

function unseen({ name, id }: { name: string; id: string }): MemberFacts {
  return { name, id, status: "Unknown" };
}
