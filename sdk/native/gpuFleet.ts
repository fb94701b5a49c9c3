import { FleetEnded as DynamicFleetEnded } from "../fleetEnded";
import { FleetReady as DynamicFleetReady } from "../fleetReady";
import { type Front, nativeFront } from "../front";
import * as dynamic from "../gpuFleet";
import { BareMetalRental, StorageVolume, VmRental, VolumeAttachment } from "./resources";

class FleetReady extends DynamicFleetReady {
  protected static override readonly front: Front = nativeFront;
}

class FleetEnded extends DynamicFleetEnded {
  protected static override readonly front: Front = nativeFront;
}

/** Several machines of one kind, spread over regions, each a resource of the plugin. */
export class GpuFleet extends dynamic.GpuFleet {
  protected static override readonly parts: dynamic.FleetParts = {
    BareMetalRental,
    VmRental,
    StorageVolume,
    VolumeAttachment,
    FleetReady,
    FleetEnded,
  };
}
