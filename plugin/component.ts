import type { handleUnaryCall } from "@grpc/grpc-js";
import type { ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { Construct } from "../provider/fronts/plugin";
import { fleetType, nativePrefix } from "../provider/shared/typeToken";
import type { GpuFleetArgs } from "../sdk/native";

/** The component of the package, made of the same classes as in a program. All of it is loaded with the first call. */
export const construct: Construct = (address, call, answer) => {
  const { Server }: ProviderServers = require("@pulumi/pulumi/provider/server");
  server ??= new Server(address, { version: "", construct: constructFleet }, new Set());
  server.construct(call, answer);
};

/** What the SDK runs components with. It is exported in the plugin's file alone (tools/bootstrap/bundles.js). */
interface ProviderServers {
  Server: new (
    engineAddress: string,
    provider: import("@pulumi/pulumi/provider").Provider,
    uncaughtErrors: Set<Error>,
  ) => ProviderServer;
}

interface ProviderServer {
  construct: handleUnaryCall<ConstructRequest, ConstructResponse>;
}

let server: ProviderServer | undefined;

async function constructFleet(
  name: string,
  type: string,
  inputs: object,
  options: import("@pulumi/pulumi").ComponentResourceOptions,
) {
  if (type !== `${nativePrefix}${fleetType}`) throw new Error(`pulumi-gpufleet has no component ${type}`);
  const { GpuFleet }: typeof import("../sdk/native") = require("../sdk/native");
  // It holds its arguments against its own rules.
  const args: unknown = inputs;
  const { urn, members, costPerHour, sshConfig, inventory } = new GpuFleet(name, args as GpuFleetArgs, options);
  return { urn, state: { members, costPerHour, sshConfig, inventory } };
}
