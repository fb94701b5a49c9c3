import type * as pulumi from "@pulumi/pulumi";
import type { FleetReadyArgs } from "./args";
import { DynamicResource } from "./dynamicResource";
import type { MemberFacts } from "./fleetMember";

/** The gate of a fleet: one resource that waits for all members. Created by `GpuFleet`, not by programs. */
export class FleetReady extends DynamicResource {
  declare readonly members: pulumi.Output<MemberFacts[]>;
  declare readonly costPerHour: pulumi.Output<number>;

  constructor(name: string, args: FleetReadyArgs, options?: pulumi.CustomResourceOptions) {
    super("FleetReady", name, args, ["members", "costPerHour"], options);
  }
}
