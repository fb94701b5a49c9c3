import type * as pulumi from "@pulumi/pulumi";
import type { FleetEndedArgs } from "./args";
import { DynamicResource } from "./dynamicResource";

/** The second gate of a fleet: one resource whose delete waits until all members have ended. Created by `GpuFleet`, not by programs. */
export class FleetEnded extends DynamicResource {
  constructor(name: string, args: FleetEndedArgs, options?: pulumi.CustomResourceOptions) {
    super("FleetEnded", name, args, [], options);
  }
}
