import {
  type Clock,
  type Transport,
  type TransportAnswer,
  TransportError,
  type TransportRequest,
} from "../../../provider/client";
import type { Settings } from "../../../provider/lifecycle";
import { baseUrl, key, type ProviderProcess, type Rig, type Surroundings } from "../../lifecycle/rig";
import { answer } from "./answers";
import { type Disturbances, type Kill, undisturbed } from "./disturbances";
import { canHit, type FaultName, faultKinds, isRefusedAfter } from "./faultKinds";
import { describeRequest, endedBy, isListOfOwn, listWith, type Purpose, purposeOf } from "./requests";
import { type MadeObject, readMade } from "./truth";

/** The command was killed: what it knew is lost. */
export class CommandKilled extends Error {}

/** What a command does to the stack. */
export type CommandName = "up" | "replace" | "update" | "rename" | "refresh" | "expire" | "destroy";

/** The 0-based number of a request among those of a purpose, or among all; -1 where it is not of that purpose. */
type Place = (of: Purpose | undefined) => number;

export interface Hit {
  fault: FaultName | `kill-${Kill["who"]}-${Kill["when"]}`;
  /** What the fault met: `POST /v2/…/bare-metal-rentals`. */
  request: string;
  purpose: Purpose;
  during: CommandName;
  /** When, by our clock. */
  time: number;
}

/** What a command is run in. */
export interface CommandContext {
  rig: Rig;
  settings?: Partial<Settings>;
  /** Where the provider believes the service to be, and as whom. */
  service?: Surroundings["service"];
  /** What lies between the provider and the service. */
  between(transport: Transport): Transport;
  /** What becomes of an answer on its way. */
  rewrite(request: TransportRequest, answer: TransportAnswer): Promise<TransportAnswer>;
  /** Is told of whatever a request of this command has made, at once. */
  onMade(made: MadeObject, command: Command): void;
  /** Is told of whatever the service has accepted to end. */
  onEnded(ended: { type: string; id: string }): void;
  /** Whether the service can neither end nor list what the request is to end. */
  lacks(request: TransportRequest): boolean;
  /** Somebody else sends this request. */
  imitate(request: TransportRequest): Promise<void>;
  /** The next lists leave out what this request is to end. */
  hide(request: TransportRequest): void;
  /** The time by the service's clock. */
  serviceNow(): number;
  /** The computer sleeps. */
  sleep(seconds: number): void;
}

/** So soon a provider knows that its engine is gone: what is on its way by then is another matter. */
const noticedWithinMs = 1000;

/** One run of a command with its provider process, whose requests fail as the disturbances say. */
export class Command {
  readonly provider: ProviderProcess;
  /** Rejects when the command is killed. */
  readonly killed: Promise<never>;
  /** Rejects when its provider is killed. */
  readonly providerEnded: Promise<never>;
  readonly hits: Hit[] = [];
  /** The paths of the lists whose last answer was as the service gave it. */
  readonly wholeLists = new Set<string>();
  /** What was sent and should not have been. */
  readonly leaks: string[] = [];
  /** What its provider has sent long after the command was killed. */
  readonly afterKill: TransportRequest[] = [];
  /** Every request, in order. */
  readonly requests: TransportRequest[] = [];
  /** How many of them there were of each purpose. */
  readonly #counts = new Map<Purpose, number>();
  commandDead = false;
  providerDead = false;
  #killedAt = Number.POSITIVE_INFINITY;
  /** Until when every request is answered 503. */
  #outageUntil = 0;
  #rejectKilled: (reason: Error) => void = () => undefined;
  #rejectEnded: (reason: Error) => void = () => undefined;

  constructor(
    private readonly context: CommandContext,
    readonly name: CommandName,
    private disturbances: Disturbances,
  ) {
    this.killed = rejection((reject) => {
      this.#rejectKilled = reject;
    });
    this.providerEnded = rejection((reject) => {
      this.#rejectEnded = reject;
    });
    const { rig, settings = {}, service = {}, between } = context;
    const surroundings = {
      clock: this.#clock(),
      service,
      wire: (transport: Transport) => this.#wire(between(transport)),
    };
    this.provider = rig.startProvider(settings, surroundings);
  }

  /** From now on nothing goes wrong. */
  stopFaults(): void {
    this.disturbances = undisturbed;
    this.#outageUntil = 0;
  }

  get wasKilled(): boolean {
    return this.commandDead || this.providerDead;
  }

  #kill(who: Kill["who"]): void {
    if (who === "cli") {
      this.commandDead = true;
      this.#killedAt = this.context.rig.clock.now();
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
      if (this.context.rig.clock.now() > this.#killedAt + noticedWithinMs) this.afterKill.push(request);
      const place = this.#place(request);
      this.#killAt(place, "before", request);
      this.#refuseIfDead();
      if (this.context.rig.clock.now() < this.#outageUntil) return this.#answerInOutage(request);
      const fault = this.disturbances.faults.find((one) => {
        const index = place(one.of);
        return index >= one.at && index < one.at + one.times && canHit(one.kind, request);
      });
      let sent = 0;
      const send = async () => {
        // The connections of a dead process are closed: what has not arrived by then never does.
        this.#refuseIfDead();
        sent += 1;
        const { answer, made } = await readMade(request, await transport(request), sent > 1);
        for (const one of made) this.context.onMade({ ...one, isRefused: isRefusedAfter(fault?.kind) }, this);
        const ended = answer.status < 300 ? endedBy(request) : undefined;
        if (ended) this.context.onEnded(ended);
        this.#killAt(place, "after", request);
        this.#refuseIfDead();
        return this.context.rewrite(request, answer);
      };
      if (fault) this.#note(fault.kind, request);
      this.#noteList(request, fault?.kind);
      const answered = fault ? await faultKinds[fault.kind].apply(this.#exchange(request, send)) : await send();
      this.#refuseIfDead();
      return this.#thenKill(place, request, answered);
    };
  }

  #noteList(request: TransportRequest, fault: FaultName | undefined): void {
    const path = isListOfOwn(request) ? listWith(request) : undefined;
    if (path === undefined) return;
    if (fault === undefined) this.wholeLists.add(path);
    else this.wholeLists.delete(path);
  }

  /** The number of this request among all, and among those of its purpose. */
  #place(request: TransportRequest): Place {
    const purpose = purposeOf(request);
    const index = this.requests.push(request) - 1;
    const among = this.#counts.get(purpose) ?? 0;
    this.#counts.set(purpose, among + 1);
    return (of) => {
      if (of === undefined) return index;
      return of === purpose ? among : -1;
    };
  }

  /** Once for each purpose is enough to know what the command could not see. */
  #answerInOutage(request: TransportRequest) {
    const fault = "503-retry-after";
    const purpose = purposeOf(request);
    if (!this.hits.some((hit) => hit.fault === fault && hit.purpose === purpose)) this.#note(fault, request);
    return answer(503);
  }

  #exchange(request: TransportRequest, send: () => ReturnType<Transport>) {
    const { rig, lacks, imitate, hide, sleep, serviceNow } = this.context;
    const breakDown = (seconds: number) => {
      this.#outageUntil = rig.clock.now() + seconds * 1000;
    };
    const isLacking = lacks(request);
    const about = { imitate: () => imitate(request), hide: () => hide(request) };
    return { rig, request, send, sleep, serviceNow, isLacking, ...about, breakDown };
  }

  /** After the reply: once it has been read and whatever follows from it has begun. */
  #thenKill(place: Place, request: TransportRequest, answer: TransportAnswer): TransportAnswer {
    const { kill } = this.disturbances;
    if (kill?.when === "reply" && kill.at === place(kill.of)) {
      void this.context.rig.clock.sleep(1).then(() => this.#killAt(place, "reply", request));
    }
    return answer;
  }

  #killAt(place: Place, when: Kill["when"], request: TransportRequest): void {
    const { kill } = this.disturbances;
    if (!kill || kill.at !== place(kill.of) || kill.when !== when || this.commandDead || this.providerDead) return;
    this.#note(`kill-${kill.who}-${when}`, request);
    this.#kill(kill.who);
  }

  #note(fault: Hit["fault"], request: TransportRequest): void {
    const time = this.context.rig.clock.now();
    this.hits.push({ fault, request: describeRequest(request), purpose: purposeOf(request), during: this.name, time });
  }

  #refuseIfDead(): void {
    if (this.providerDead) throw new TransportError("this process is dead", { sent: "maybe", permanent: true });
  }

  /** A dead process does not wake up. */
  #clock(): Clock {
    const { clock } = this.context.rig;
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
