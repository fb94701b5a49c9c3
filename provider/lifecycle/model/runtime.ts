import type { z } from "zod";
import type { Client, Clock } from "../../client";
import type { PriceUnit } from "../../shared/money";
import type { Prices } from "../../shared/prices";
import type { Forecast } from "./forecast";
import type { Memory } from "./memory";
import type { Pledges } from "./pledges";
import type { SharedLists } from "./sharedList";
import type { Kind } from "./snapshot";
import type { Values } from "./values";
import type { SshEndpoint } from "./view";
import type { Service } from "./whereabouts";
import type { StackName, StateEntry, StateWitness } from "./witness";

/** What of the stack a run is about; unknown where its command line cannot be read. */
export type RunScope = "whole" | "partial" | "unknown";

/** The engine as a resource sees it: whether it lives, and its display. */
export interface EngineLink {
  /**
   * Whether it is there. One that is silent may be suspended, or slow on a busy machine: nothing new is begun without it, and
   * nothing that is under way is given up.
   */
  ask(): Promise<"answers" | "silent" | "gone">;
  /** Whether the run leaves resources of the stack as they are (`--target`, `--exclude`): nothing is asked about those. */
  scope(): Promise<RunScope>;
  /** Whether the run is a `pulumi destroy` of all that the stack has. */
  endsAll(): Promise<boolean>;
  /** Whether the run is the command `pulumi import`. */
  imports(): Promise<boolean>;
  /** Whether the run is a `pulumi refresh` that no preview comes before. */
  refreshesAtOnce(): Promise<boolean>;
  /** Shows on the resource's own row while it works, and leaves nothing behind. */
  status(urn: string, text: string): void;
  /** Stays in the final output. */
  warn(urn: string, text: string): void;
  info(urn: string, text: string): void;
  /** A command as people are to run it, where it needs more than its words to work on this stack. */
  commandLine?(words: string): string;
}

/** Where there is none: as in a run of the whole stack, of which nobody sees anything. */
export const noEngine: EngineLink = {
  ask: async () => "answers",
  scope: async () => "whole",
  endsAll: async () => false,
  imports: async () => false,
  refreshesAtOnce: async () => true,
  status: () => undefined,
  info: () => undefined,
  warn: () => undefined,
};

/** What the stack's configuration and the environment say, beyond how to reach the service. */
export interface Settings {
  /** Tells stacks of one name apart (`gpufleet:namespace`). */
  namespace: string;
  /** Limit for all that this stack runs (`gpufleet:maxCostPerHour`), or that runs for an explicit provider. */
  maxCostPerHour: number | undefined;
  /** How people call that limit: where they set it. */
  maxCostPerHourName: string;
  /** The user's own price book (`gpufleet:prices`). */
  prices: Prices;
  /** How long a list may lag behind, in milliseconds (`gpufleet:reconcileSeconds`). */
  listLagMs: number;
  marketplacePriceUnit: PriceUnit;
  /** A person's word that what has vanished from the lists is gone (`GPUFLEET_CONFIRM_GONE=1`, for one run). */
  confirmGone: boolean;
  /** Whether a refresh ends what has expired (`GPUFLEET_END_EXPIRED=1`, set by `gpufleet expired --destroy` for its own run). */
  endExpired: boolean;
  /** The private key that opens the machines, where it is not one that ssh finds itself (`gpufleet:sshKeyFile`). */
  sshKeyFile: string | undefined;
}

export const defaultReconcileSeconds = 120;

/** Which machine is asked for its GPUs, and how. */
export interface GpuQuestion {
  endpoint: SshEndpoint;
  /** Under which its host key is kept. */
  alias: string;
  /** Whose host keys are kept together. */
  stack: StackName;
  keyFile: string | undefined;
}

/** What `nvidia-smi` on a machine says, or why it could not be asked. */
export type GpuAnswer =
  | { kind: "gpus"; count: number; troubles: readonly string[] }
  /** It is not far enough yet. */
  | { kind: "waiting"; reason: string }
  /** It has not answered in the time that there was. */
  | { kind: "silent"; reason: string }
  /** It does not let us in. */
  | { kind: "denied"; reason: string }
  /** It cannot be asked, now or later. */
  | { kind: "impossible"; reason: string };

/** What came along with something and bills beside it. */
export interface Besides {
  /** `StorageVolume` */
  type: string;
  /** "storage volume" */
  noun: string;
  id: string;
  /** When it was created, by its record. */
  created?: string | undefined;
  /** What it costs, as the service has shown it. */
  costPerHour?: number | undefined;
}

/** Everything an operation works with. One per process; tests make their own. */
export interface Runtime {
  client: Client;
  /** Where the service is, and who asks. */
  service: Service;
  /** Whether it is known where the service is: a preview goes without. */
  isConfigured: boolean;
  /** What the configuration lacks without which nothing can be rented, in words; undefined where it lacks nothing. */
  missing: string | undefined;
  /** The stack's state, to be asked where a decision depends on it. */
  state: StateWitness;
  clock: Clock;
  random: () => number;
  engine: EngineLink;
  settings: Settings;
  lists: SharedLists;
  memory: Memory;
  pledges: Pledges;
  forecast: Forecast;
  /** Everything that this provider can make and the service bills for. */
  owned: readonly {
    type: string;
    kind: Kind<unknown>;
    inputs: z.ZodObject;
    besides?(state: Values): Besides | undefined;
    alsoRents?(inputs: Values): Values | undefined;
    priceBesides?(runtime: Runtime, rented: Values): Promise<number | undefined>;
  }[];
  /** Deletes an entry of the state as the engine would when its turn comes. */
  deleteEntry(entry: StateEntry): Promise<void>;
  /** Whether the endpoint greets like an ssh server within the time. */
  greetsSsh: (host: string, port: number, milliseconds: number) => Promise<boolean>;
  /** Removes what ssh knows of a machine that has ended. Never fails. */
  forgetSsh: (stack: StackName, machine: { type: string; id: string }) => void;
  /** Asks a machine for its GPUs, within the time. */
  askGpus: (question: GpuQuestion, milliseconds: number) => Promise<GpuAnswer>;
}
