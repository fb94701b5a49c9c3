import type * as pulumi from "@pulumi/pulumi";
import type { FleetEndedArgs } from "./args";
import { ServiceResource } from "./serviceResource";

/** The second gate of a fleet: one resource whose delete waits until all members have ended. Created by `GpuFleet`, not by programs. */
export class FleetEnded extends ServiceResource {
  constructor(name: string, args: FleetEndedArgs, options?: pulumi.CustomResourceOptions) {
    super("FleetEnded", name, args, [], options);
  }
}
