/**
 * Two accounts
 *
 * Rents from two accounts, or two services, in one program.
 *
 * ```sh
 * pulumi stack init dev
 * pulumi config set partnerUrl https://other-service.example
 * pulumi config set --secret partnerKey
 * pulumi up
 * pulumi destroy
 * ```
 *
 * The settings of a `Provider` take precedence over the environment, and its key is stored encrypted. `pulumi refresh`, `pulumi destroy`
 * and the commands of `gpufleet` use the settings of the last `pulumi up`.
 */

import * as pulumi from "@pulumi/pulumi";
import { BareMetalRental, GpuFleet, getBalanceOutput, Provider } from "pulumi-gpufleet";

const config = new pulumi.Config();

// The account of the environment and the stack's configuration, as in every other program.
const own = new BareMetalRental("own", { networkType: "infiniband", gpuCount: 8 });

// The other one, with a limit on what it may cost.
const partner = new Provider("partner", {
  baseUrl: config.require("partnerUrl"),
  apiKey: config.requireSecret("partnerKey"),
  maxCostPerHour: 100,
});

// A component hands its provider on to all its members.
const fleet = new GpuFleet(
  "batch",
  { kind: "vm", count: 2, gpuType: "h100", gpuCount: 1, networkType: "ethernet", regions: ["us-central-1"] },
  { providers: [partner] },
);

export const machines = pulumi.all([own.sshCommand, fleet.members]).apply(([ssh, members]) => ({
  own: ssh,
  partner: members.map(({ sshCommand }) => sshCommand),
}));
export const partnerBalance = getBalanceOutput({ provider: partner }).usd;
