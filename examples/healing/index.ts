/**
 * Healing
 *
 * Three nodes; the next up replaces one that failed or ended, and only that one.
 *
 * `refresh: always` in `Pulumi.yaml` makes every `pulumi up` compare the state with the service first.
 *
 * ```sh
 * # On a real service a new machine may be missing from lists for two minutes, so younger machines are never
 * # considered lost. The emulator's lists are always current.
 * export GPUFLEET_RECONCILE_SECONDS=1
 * pulumi stack init dev
 * pulumi up
 * # Terminate one without Pulumi …
 * curl -X POST "$GPUFLEET_BASE_URL/v2/alpha/on-demand/bare-metal-rentals/terminate" \
 *   -H "Authorization: Bearer $GPUFLEET_API_KEY" -H "Content-Type: application/json" \
 *   -d "{\"rentalId\": $(pulumi stack output rentalIds --json | grep -Eom1 '[0-9]+')}"
 * # … and only that one is replaced.
 * pulumi up
 * pulumi destroy
 * ```
 */

import { GpuFleet } from "pulumi-gpufleet";

// With `refresh: always` in Pulumi.yaml, every `up` replaces the members that failed or are gone.
const fleet = new GpuFleet("node", {
  kind: "bare-metal",
  count: 3,
  regions: ["us-central-1"],
  gpuCount: 8,
  networkType: "infiniband",
});

export const rentalIds = fleet.rentals.map((rental) => rental.rentalId);
export const sshConfig = fleet.sshConfig;
