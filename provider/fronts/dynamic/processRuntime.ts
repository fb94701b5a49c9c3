import { type Client, type ClientOptions, createClient, systemClock } from "../../client";
import { Memory, Pledges, type Runtime, type Settings, SharedLists } from "../../lifecycle";
import { kinds } from "../../resources";
import { type ReadConfig, readConnection, readSettings } from "../configuration";
import { greetsSsh } from "../sshGreeting";
import { linkEngine } from "./engineLink";

/**
 * The runtime of a provider process. What needs the configuration is made when it is first used: a preview checks and
 * compares without any.
 */
export class ProcessRuntime implements Runtime {
  readonly clock = systemClock;
  readonly random = Math.random;
  readonly memory = new Memory();
  readonly pledges = new Pledges();
  readonly engine = linkEngine(process.argv[2], () => this.secrets());
  readonly kinds = kinds;
  readonly greetsSsh = greetsSsh;
  private made: { client?: Client; lists?: SharedLists; settings?: Settings; connection?: ClientOptions } = {};

  constructor(private readonly config: ReadConfig) {}

  get settings(): Settings {
    this.made.settings ??= readSettings(this.config, process.env);
    return this.made.settings;
  }

  get client(): Client {
    this.made.client ??= createClient(this.connection());
    return this.made.client;
  }

  get lists(): SharedLists {
    this.made.lists ??= new SharedLists(this.client, this.clock);
    return this.made.lists;
  }

  /** What must never be shown. */
  secrets(): string[] {
    const keys = [process.env["GPUFLEET_API_KEY"], this.config("apiKey")];
    return keys.filter((key): key is string => Boolean(key));
  }

  private connection(): ClientOptions {
    this.made.connection ??= readConnection(this.config, process.env);
    return this.made.connection;
  }
}
