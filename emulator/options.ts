/** Milliseconds since 1970. */
export interface TimeSource {
  now(): number;
}

/** Apart from the dialects themselves, so that the command line can offer the names without loading zod. */
export const dialectNames = [
  "default",
  "id-body",
  "id-undescribed",
  "delete",
  "none",
  "rich",
  "undescribed",
  "tied",
  "post-list",
  "bare",
] as const;
export type DialectName = (typeof dialectNames)[number];

/** Whether a volume's record has the same number as `id` and `storageVolumeId`, one that no volume has, or that of another volume. */
export const volumeIdForms = ["same", "separate", "crossed"] as const;
export type VolumeIdForm = (typeof volumeIdForms)[number];

/** A real shell on every emulated machine. */
export interface SshServerOptions {
  /** Path of `sshd`; the installed one, if left out. */
  program?: string;
  /** The keys that open the machines, as they stand in `authorized_keys`. */
  publicKeys?: readonly string[];
  /** A file with such a key. Without either, the keys of `~/.ssh` and of the ssh agent. */
  keyFile?: string;
}

export interface EmulatorOptions {
  /** API key that clients must send. */
  apiKey?: string;
  /**
   * Further API keys, each with the name of its account. Every account has its own objects; ids are counted for all of them
   * together. The account of `apiKey` is called `emulator`: a further key of that name is a second key of the same account.
   */
  apiKeys?: Readonly<Record<string, string>>;
  /** With `separate`, the records of volumes have an `id` that is not their `storageVolumeId`; with `crossed`, it is that of another volume. */
  volumeIds?: VolumeIdForm;
  /** How far the clock that the service shows is ahead, in timestamps and in the Date header; behind where it is negative. */
  clockSkewSeconds?: number;
  /** Time until a new rental, volume or instance is ready. */
  provisionSeconds?: number;
  /** Time until one that was asked to end has ended. */
  endSeconds?: number;
  /** Seed of the marketplace machines and of the inference answers. */
  seed?: number;
  /** Which variant of the undocumented endpoints to emulate. */
  dialect?: DialectName;
  /** Where the time comes from, in milliseconds since 1970. The emulator's own clock can be advanced beyond it. */
  clock?: TimeSource;
  /** How a `delay` fault waits. */
  sleep?: (milliseconds: number) => Promise<void>;
  /** Folder to keep all data in; without it, data is kept in memory. */
  dataDir?: string;
  /** Whether running machines send an SSH banner on a loopback port of their own while the emulator listens. */
  ssh?: boolean;
  /** Where given, these machines can be logged in to: an OpenSSH server answers instead of the banner. */
  sshServer?: SshServerOptions;
  /** GPUs available per region; unlimited by default. */
  capacity?: number;
  /** Starting balance in USD. Creates are refused once it is spent, but only if it was given. */
  balance?: number;
}

/** The account of the one key that there always is. */
export const firstAccount = "emulator";

/** The only place where defaults are written. */
export const defaults = {
  apiKey: "emulator-key",
  volumeIds: "same",
  clockSkewSeconds: 0,
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
  /** The account of each API key. */
  accounts: ReadonlyMap<string, string>;
  volumeIds: VolumeIdForm;
  skewMs: number;
  provisionMs: number;
  endMs: number;
  seed: number;
  capacity: number;
  balance: number;
  /** Whether creates are refused once the balance is spent. */
  balanceIsLimit: boolean;
}

export function settingsOf(options: EmulatorOptions): Settings {
  return {
    accounts: new Map([...Object.entries(options.apiKeys ?? {}), [options.apiKey ?? defaults.apiKey, firstAccount]]),
    volumeIds: options.volumeIds ?? defaults.volumeIds,
    skewMs: (options.clockSkewSeconds ?? defaults.clockSkewSeconds) * 1000,
    provisionMs: (options.provisionSeconds ?? defaults.provisionSeconds) * 1000,
    endMs: (options.endSeconds ?? defaults.endSeconds) * 1000,
    seed: options.seed ?? defaults.seed,
    capacity: options.capacity ?? defaults.capacity,
    balance: options.balance ?? defaults.balance,
    balanceIsLimit: options.balance !== undefined,
  };
}
