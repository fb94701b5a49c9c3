import { type Clock, type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../../../provider/client";
import { baseUrl, key, type ProviderProcess, type Rig } from "../../lifecycle/rig";
import { type Disturbances, type Kill, undisturbed } from "./disturbances";
import { type FaultName, faultKinds } from "./faultKinds";

/** The command was killed: what it knew is lost. */
export class CommandKilled extends Error {}

/** What a command does to the stack. */
export type CommandName = "up" | "replace" | "refresh" | "destroy";

export interface Hit {
  fault: FaultName | `kill-${Kill["who"]}-${Kill["when"]}`;
  /** What the fault met: `POST /v2/…/bare-metal-rentals`. */
  request: string;
  during: CommandName;
}

/** One run of a command with its provider process, whose requests fail as the disturbances say. */
export class Command {
  readonly provider: ProviderProcess;
  /** Rejects when the command is killed. */
  readonly killed: Promise<never>;
  /** Rejects when its provider is killed. */
  readonly providerEnded: Promise<never>;
  readonly hits: Hit[] = [];
  /** What was sent and should not have been. */
  readonly leaks: string[] = [];
  commandDead = false;
  providerDead = false;
  requests = 0;
  #rejectKilled: (reason: Error) => void = () => undefined;
  #rejectEnded: (reason: Error) => void = () => undefined;

  constructor(
    private readonly rig: Rig,
    private readonly name: CommandName,
    private disturbances: Disturbances,
  ) {
    this.killed = rejection((reject) => {
      this.#rejectKilled = reject;
    });
    this.providerEnded = rejection((reject) => {
      this.#rejectEnded = reject;
    });
    this.provider = rig.startProvider({}, { clock: this.#clock(), wire: (transport) => this.#wire(transport) });
  }

  /** From now on nothing goes wrong. */
  stopFaults(): void {
    this.disturbances = undisturbed;
  }

  #kill(who: Kill["who"]): void {
    if (who === "cli") {
      this.commandDead = true;
      this.provider.engineLives = false;
      this.#rejectKilled(new CommandKilled("killed"));
    } else {
      this.providerDead = true;
      this.#rejectEnded(new Error("the provider process ended"));
    }
  }

  #wire(transport: Transport): Transport {
    return async (request) => {
      this.#refuseIfDead();
      this.#lookForKey(request);
      const index = this.requests;
      this.requests += 1;
      this.#killAt(index, "before", request);
      this.#refuseIfDead();
      const send = async () => {
        // The connections of a dead process are closed: what has not arrived by then never does.
        this.#refuseIfDead();
        const answer = await transport(request);
        this.#killAt(index, "after", request);
        this.#refuseIfDead();
        return answer;
      };
      const fault = this.disturbances.faults.find(({ at, times }) => index >= at && index < at + times);
      if (fault) this.#note(fault.kind, request);
      const answered = fault ? await faultKinds[fault.kind].apply({ rig: this.rig, request, send }) : await send();
      this.#refuseIfDead();
      return this.#thenKill(index, request, answered);
    };
  }

  /** After the reply: once it has been read and whatever follows from it has begun. */
  #thenKill(index: number, request: TransportRequest, answer: TransportAnswer): TransportAnswer {
    const { kill } = this.disturbances;
    if (kill?.when === "reply" && kill.at === index) {
      void this.rig.clock.sleep(1).then(() => this.#killAt(index, "reply", request));
    }
    return answer;
  }

  #killAt(index: number, when: Kill["when"], request: TransportRequest): void {
    const { kill } = this.disturbances;
    if (!kill || kill.at !== index || kill.when !== when || this.commandDead || this.providerDead) return;
    this.#note(`kill-${kill.who}-${when}`, request);
    this.#kill(kill.who);
  }

  #note(fault: Hit["fault"], { method, url }: TransportRequest): void {
    this.hits.push({ fault, request: `${method} ${new URL(url).pathname}`, during: this.name });
  }

  #refuseIfDead(): void {
    if (this.providerDead) throw new TransportError("this process is dead", { sent: "maybe", permanent: true });
  }

  /** A dead process does not wake up. */
  #clock(): Clock {
    const { clock } = this.rig;
    return {
      now: () => clock.now(),
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        if (this.providerDead) await new Promise(() => undefined);
      },
    };
  }

  #lookForKey({ url, headers, body = "" }: TransportRequest): void {
    const { authorization, ...others } = headers;
    if (!url.startsWith(`${baseUrl}/`)) this.leaks.push(`a request to ${url}`);
    if (`${url} ${JSON.stringify(others)} ${body}`.includes(key)) this.leaks.push(`the key in ${url} or its body`);
    if (authorization !== undefined && authorization !== `Bearer ${key}`) this.leaks.push("an odd authorization");
  }
}

function rejection(use: (reject: (reason: Error) => void) => void): Promise<never> {
  const promise = new Promise<never>((_, reject) => use(reject));
  promise.catch(() => undefined);
  return promise;
}
