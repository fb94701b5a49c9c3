/** Milliseconds since 1970. */
export interface TimeSource {
  now(): number;
}

/** The names stand apart from the dialects themselves so that the command line can offer them without loading zod. */
export const dialectNames = ["default", "id-body", "delete", "none", "rich", "undescribed", "post-list"] as const;
export type DialectName = (typeof dialectNames)[number];

export interface EmulatorOptions {
  /** The key that requests must bear. */
  apiKey?: string;
  /** How long rentals, volumes and instances take to be ready. */
  provisionSeconds?: number;
  /** How long they take to end. */
  endSeconds?: number;
  /** Decides the machines on the marketplace and what inference answers. */
  seed?: number;
  /** The shapes spoken where the interface says "not shown". */
  dialect?: DialectName;
  /** Where the time comes from, in milliseconds since 1970. The emulator's own clock can be advanced beyond it. */
  clock?: TimeSource;
  /** How a `delay` fault waits. */
  sleep?: (milliseconds: number) => Promise<void>;
  /** Folder in which everything is kept; in memory only when left out. */
  dataDir?: string;
  /** Whether running machines answer on a loopback port with an SSH banner while the emulator listens. */
  ssh?: boolean;
  /** GPUs that can be rented per region; unlimited when left out. */
  capacity?: number;
  /** The balance to begin with, in USD. Creates are refused once it is used up, but only if it was given. */
  balance?: number;
}

/** Every default stands here and nowhere else. */
export const defaults = {
  apiKey: "emulator-key",
  provisionSeconds: 3,
  endSeconds: 1,
  seed: 1,
  dialect: "default",
  ssh: true,
  capacity: Number.POSITIVE_INFINITY,
  balance: 1_000_000,
  port: 0,
} as const;

/** The options of one emulator, with the defaults filled in. */
export interface Settings {
  apiKey: string;
  provisionMs: number;
  endMs: number;
  seed: number;
  capacity: number;
  balance: number;
  /** Whether a used-up balance refuses creates. */
  balanceIsLimit: boolean;
}

export function settingsOf(options: EmulatorOptions): Settings {
  return {
    apiKey: options.apiKey ?? defaults.apiKey,
    provisionMs: (options.provisionSeconds ?? defaults.provisionSeconds) * 1000,
    endMs: (options.endSeconds ?? defaults.endSeconds) * 1000,
    seed: options.seed ?? defaults.seed,
    capacity: options.capacity ?? defaults.capacity,
    balance: options.balance ?? defaults.balance,
    balanceIsLimit: options.balance !== undefined,
  };
}
