import { type Kind, type Phase, phaseOf, type SshEndpoint, type Statuses, type View } from "../../lifecycle";
import { endedStatuses, type MarketplaceInstance } from "../../service";
import { withEnd } from "../ended";

const statuses = {
  pending: ["pending", "starting", "creating", "restarting", "busy", "offline", "unknown"],
  ready: ["node_ready", "online", "running", "ready", "active"],
  failed: ["failed", "error"],
  ending: ["stopping", "terminating", "deleting", "destroying"],
  ended: endedStatuses,
} satisfies Statuses;

/** The account's marketplace instances. */
export const marketplaceInstances: Kind<MarketplaceInstance> = {
  plural: "marketplace instances",
  base: "v1",
  statuses,
  fetch: async (client, call) => (await client.listMarketplaceInstances(call)).instances,
  idOf: (instance) => instance.id,
  namesOf: (instance) => instance.names,
  ownId: { field: "id", isIn: (instance) => instance.hasId },
  labelOf: () => undefined,
  view: (instance, now) => ({
    id: instance.id,
    ...withEnd({ status: instance.status, phase: phaseIn(instance.status) }, now, instance.endedAt),
    createdAt: instance.createdAt,
    ssh: readSshCommand(instance.sshCommand),
    sshCommand: instance.sshCommand,
    observedInputs: { gpuCount: instance.gpuCount, nodeName: instance.nodeName, clusterName: instance.clusterName },
    outputs: {
      portMappings: instance.portMappings?.map(({ domain, protocol, port }) => ({ domain, protocol, port })),
    },
  }),
};

/** Only one of the words is documented: any other that is not known means "not yet", and is shown while it is waited for. */
function phaseIn(status: string): Phase {
  const phase = phaseOf(status, statuses);
  return phase === "unrecognized" ? "pending" : phase;
}

/** Only that it is ready is documented, in one word: what other words mean is not known. */
export function whyNotReady({ status }: View): string | undefined {
  if (phaseOf(status, statuses) !== "unrecognized") return undefined;
  return `What the status ${JSON.stringify(status)} means is not known: ready are ${statuses.ready.join(", ")}.`;
}

/** `ssh ubuntu@host -p 31022`, in either order. */
function readSshCommand(command: string | undefined): SshEndpoint[] | undefined {
  const target = /(?:^|\s)([\w.-]+)@([\w.:-]+)/.exec(command ?? "");
  if (!target) return undefined;
  const port = Number(/\s-p\s*(\d+)/.exec(command ?? "")?.[1] ?? 22);
  return [{ user: target[1] ?? "", host: target[2] ?? "", port }];
}
