/** What the stub in a state loads: `require("pulumi-gpufleet/provider").handler("BareMetalRental")`. */
export { handler } from "./fronts";
/** Resource type → handler, for whoever calls one without a host. */
export { handlers } from "./resources";
