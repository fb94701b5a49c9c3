import type { handleUnaryCall } from "@grpc/grpc-js";
import type { ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import { type Client, createTransport, defaultLimits } from "../../client";
import { type EngineLink, isDefaultOf, type Runtime, type Values, visible } from "../../lifecycle";
import { handlers } from "../../resources";
import { inUsd } from "../../shared/money";
import { packageVersion } from "../../shared/packageVersion";
import { secret } from "../../shared/secretValue";
import { nativeProviderType } from "../../shared/typeToken";
import { type ReadConfig, readSecrets } from "../configuration";
import { Effects } from "../effects";
import { type EngineProtocol, linkEngine } from "../engineLink";
import { exportedState } from "../exportedState";
import { askGpus } from "../gpuProbe";
import { configOf } from "../providerInputs";
import { pulumiCommand } from "../pulumiCommand";
import { configuredRuntime } from "../runtime";
import { SecretValues } from "../secretValues";
import { greetsSsh } from "../sshGreeting";

import type { CheckAnswer, CheckCall } from "./calls";
import { organizations } from "./organization";
import { ResourceCalls } from "./resourceCalls";
import { outputsIn, type PluginSchema } from "./schema";
import { settingProblems } from "./settings";
import { Stop } from "./stop";

/** A function of the package, as the plugin calls it. */
export type PluginFunction = (args: Values, service: FunctionService) => Promise<object>;

/** The service as a function calls it. */
export interface FunctionService {
  client: Client;
  priceInUsd(price: number): number;
  /** Shows a warning of this run. */
  warn(message: string): void;
  /** Whether nothing may be done that has an effect. */
  isPreview: boolean;
}

/** Answers the call that constructs a component. The address is that of the engine. */
export type Construct = (
  address: string,
  ...call: Parameters<handleUnaryCall<ConstructRequest, ConstructResponse>>
) => void;

export interface PluginParts {
  protocol: EngineProtocol;
  schema: PluginSchema;
  functions: Readonly<Record<string, PluginFunction>>;
  construct: Construct;
}

/** The first that tells a provider both. */
const oldestEngine = "3.206.0";

const tooOld = `the plugin needs Pulumi ${oldestEngine} or later: this one does not say which provider it configures, or whether a function is called in a preview. Install a later one: https://www.pulumi.com/docs/install/`;

/** The provider that one plugin process is, without its transport: the engine starts a process for each provider. */
export class Plugin {
  readonly resources: ResourceCalls;
  readonly effects = new Effects();
  readonly secretValues = new SecretValues();
  readonly #parts: PluginParts;
  readonly #stop = new Stop();
  #engineAddress: string | undefined;
  #tellsPreview = false;
  #config: ReadConfig = () => undefined;
  #link: EngineLink;
  #runtime: Runtime;

  constructor(parts: PluginParts, engineAddress: string | undefined) {
    this.#parts = parts;
    this.#engineAddress = engineAddress;
    this.#link = this.#linkEngine();
    this.#runtime = this.#createRuntime();
    this.resources = new ResourceCalls({
      handlers,
      runtime: () => this.#runtime,
      secrets: () => this.secrets(),
      organizationOf: organizations(pulumiCommand),
      outputsOf: (type) => outputsIn(parts.schema, type),
    });
  }

  /** Where the engine is, where that was not said when the process was started. */
  attach(engineAddress: string): void {
    if (engineAddress === "" || this.#engineAddress === engineAddress) return;
    this.#engineAddress = engineAddress;
    this.#runtime = this.#createRuntime();
  }

  /** What the engine says of itself; an old one says nothing. */
  meet({ engineAddress, tellsPreview }: { engineAddress: string; tellsPreview: boolean }): void {
    this.#tellsPreview = tellsPreview;
    this.attach(engineAddress);
  }

  checkConfig({ urn, news }: Pick<CheckCall, "urn" | "news">): CheckAnswer {
    const problems = settingProblems(news, urn, process.env);
    const { apiKey } = news;
    return {
      inputs: typeof apiKey === "string" ? { ...news, apiKey: secret(apiKey) } : news,
      failures: problems.map((reason) => ({ property: "", reason })),
    };
  }

  configure(inputs: Values, urn: string): void {
    if (urn === "" || !this.#tellsPreview) throw new Error(tooOld);
    this.#config = configOf(inputs, urn);
    this.#runtime = this.#createRuntime();
  }

  async invoke(name: string, args: Values, isPreview: boolean): Promise<object> {
    const call = Object.entries(this.#parts.functions).find(([known]) => known === name)?.[1];
    if (!call) {
      throw new Error(
        `pulumi-gpufleet has no function ${name}. It has ${Object.keys(this.#parts.functions).join(", ")}`,
      );
    }
    const { client, settings, engine } = this.#runtime;
    const priceInUsd = (price: number) => inUsd(price, settings.marketplacePriceUnit);
    const warn = (message: string) => engine.warn("", message);
    return call(visible(args), { client, priceInUsd, warn, isPreview });
  }

  construct: handleUnaryCall<ConstructRequest, ConstructResponse> = (call, answer) =>
    this.#parts.construct(this.#engineAddress ?? "", call, answer);

  /** Ends every wait at once. Nothing is sent any more. */
  stop(reason: string): void {
    this.#stop.now(reason);
  }

  secrets(): readonly string[] {
    return readSecrets(this.#config, process.env);
  }

  async isEngineGone(): Promise<boolean> {
    return (await this.#link.ask()) === "gone";
  }

  #linkEngine(): EngineLink {
    return linkEngine(
      this.#engineAddress,
      () => this.secrets(),
      () => this.#parts.protocol,
    );
  }

  #createRuntime(): Runtime {
    const stop = this.#stop;
    this.#link = this.#linkEngine();
    return configuredRuntime(this.#config, {
      engine: stop.engine(this.secretValues.engine(this.#link)),
      state: exportedState,
      isDefault: (urn) => isDefaultOf(urn, nativeProviderType, packageVersion()),
      clock: stop.clock(),
      transport: stop.transport(this.effects.transport(() => createTransport(defaultLimits).transport)),
      greetsSsh: stop.asking(greetsSsh),
      askGpus: stop.asking(askGpus),
    });
  }
}
