import { setImmediate } from "node:timers/promises";
import { isExpired, readWhereabouts } from "../../../provider/lifecycle";
import { cleanText } from "../../../provider/shared/cleanText";
import { fleetNames } from "../../../provider/shared/fleetNames";
import { FakeEngine, getHandler, type Kept, type Outcome, type Program } from "../../lifecycle/fakeEngine";
import { beginning, createRig, key, type Rig, seededRandom } from "../../lifecycle/rig";
import type { Wire } from "../../lifecycle/wire";
import { capitalLabels } from "./capitalLabels";
import { type Circumstances, usual } from "./circumstances";
import { Command, type CommandContext, CommandKilled, type CommandName, type Hit } from "./command";
import type { Disturbances, Fault } from "./disturbances";
import { dynamicHost } from "./dynamicHost";
import { type Elsewhere, type ElsewhereName, elsewhereNames, elsewheres, openElsewhere } from "./elsewhere";
import { type FaultName, hidesMachines, unclearLists } from "./faultKinds";
import { handlerBehind, type Timed } from "./front";
import { hiddenTimes } from "./hiddenTimes";
import { latePrices } from "./latePrices";
import { isProvable, keyOf, Ledger, type Made } from "./ledger";
import { addForeignMachines, holdSameIdsElsewhere, imitate, startNeighbours, withLookalikes } from "./neighbours";
import { inOrganization } from "./organization";
import { Outside } from "./outside";
import { paged } from "./pagedAnswers";
import { settle } from "./person";
import { pluginHost } from "./pluginHost";
import { type PlannedResource, programOf, resourceName } from "./program";
import { type Recovery, recover } from "./recover";
import { endedBy } from "./requests";
import {
  expirySeconds,
  gateOf,
  getResourceKind,
  type MarketplaceMachine,
  type ResourceKindName,
} from "./resourceKinds";
import { separateNames } from "./separateNames";
import { sparse } from "./sparseAnswers";

export interface SessionOptions {
  /** Decides labels and jitter. */
  seed: number;
  /** What the program declares. */
  resources: readonly ResourceKindName[];
  circumstances?: Partial<Circumstances> | undefined;
}

/** How a command ended: killed, or with an outcome. */
export interface CommandResult {
  command: Command;
  outcome: Outcome | undefined;
  /** What was shown: errors, warnings and whatever else stays on the screen. */
  shown: readonly string[];
  /** What the program was; nothing for `destroy`. */
  program: Program | undefined;
  /** What ran before it: type and id of each. */
  ranBefore: ReadonlySet<string>;
  /** The state before it. */
  before: readonly Kept[];
  /** The ids of that which were only there to be deleted. */
  condemned: ReadonlySet<string>;
}

interface UpOptions {
  refresh?: boolean;
  /** Names that are replaced by force. */
  replace?: string[];
  name?: CommandName;
}

/** Lists that can be trusted at no time. */
const unclear = unclearLists.map((kind): Fault => ({ kind, of: "list", at: 0, times: 10_000 }));
/** Lists that are right, and too old all the time, or lack things at first or in between. */
const lacking: readonly Fault[] = [
  { kind: "stale-long", of: "list", at: 0, times: 10_000 },
  { kind: "leaves-out-all", of: "list", at: 0, times: 4 },
  { kind: "leaves-out-some", of: "list", at: 0, times: 4 },
  { kind: "leaves-out-others", of: "list", at: 3, times: 4 },
  { kind: "leaves-out-late", of: "list", at: 0, times: 1 },
];

const fronts = { dynamic: dynamicHost, plugin: pluginHost };

/** A stack in an account that others use as well: the commands that people run on it, and all that came of them. */
export class Session {
  readonly rig: Rig;
  readonly stack: FakeEngine;
  readonly plan: PlannedResource[];
  readonly commands: Command[] = [];
  readonly timed: Timed[] = [];
  /** Everything that was shown to people. */
  readonly output: string[] = [];
  readonly ledger: Ledger = new Ledger(this);
  /** Is called when a command has ended. */
  onEnd: (result: CommandResult) => void = () => undefined;
  neighbours: FakeEngine[] = [];
  wasKilled = false;
  wasProviderKilled = false;
  /** Machines that were rented by hand, to be adopted. */
  readonly handmade = new Set<string>();
  readonly elsewhere: Elsewhere[] = [];
  readonly outside: Outside = new Outside(this);

  private constructor(
    rig: Rig,
    readonly circumstances: Circumstances,
    readonly machine: MarketplaceMachine,
    private readonly serviceTime: ServiceTime,
    resources: readonly ResourceKindName[],
  ) {
    this.rig = rig;
    this.stack = this.#engine("test");
    this.plan = resources.map((kind, index) => {
      const name = resourceName(index);
      return { kind, name, stem: name, generation: 0, flag: false };
    });
  }

  /** In an account in which others are already at work. */
  static async start({ seed, resources, circumstances }: SessionOptions): Promise<Session> {
    const chosen = { ...usual, ...circumstances };
    const { provisionSeconds, endSeconds, dialect, skewSeconds, volumeIds } = chosen;
    const serviceTime: ServiceTime = { aheadMs: skewSeconds * 1000, home: () => beginning };
    const clock = { now: () => serviceTime.home() + serviceTime.aheadMs };
    const rig = createRig({
      random: seededRandom(seed),
      emulator: { provisionSeconds, endSeconds, dialect, volumeIds, clock },
    });
    serviceTime.home = () => rig.clock.now();
    const session = new Session(rig, chosen, await getLargestMachine(rig), serviceTime, resources);
    await addForeignMachines(rig, session.stack, session.machine);
    // Longer than any create takes: what is there already is older than whatever this stack may have lost.
    await session.wait(3600);
    if (chosen.neighbours) session.neighbours = [...(await startNeighbours(rig)), holdSameIdsElsewhere(rig)];
    await session.#rentByHand();
    return session;
  }

  #engine(stack: string): FakeEngine {
    const front = fronts[this.circumstances.front];
    return new FakeEngine(this.rig, { stack }, (type) =>
      handlerBehind(front(type), type, () => this.#current(), this.timed),
    );
  }

  async #rentByHand(): Promise<void> {
    for (const planned of this.plan) {
      if (!getResourceKind(planned.kind).adopts) continue;
      const request = { networkType: "infiniband" as const, gpuCount: 8, label: `by-hand-${planned.name}` };
      const { id } = await this.rig.run(this.rig.client.createBareMetalRental(request));
      planned.adoptId = String(id);
      this.handmade.add(String(id));
    }
    if (this.handmade.size > 0) await this.wait(60);
  }

  get program(): Program {
    return programOf(this.plan, this.machine);
  }

  /** `up` with the program as it stands. */
  up(disturbances: Disturbances, { name = "up", ...options }: UpOptions = {}): Promise<CommandResult> {
    const { program } = this;
    const { continueOnError } = this.circumstances;
    return this.#run({ name, disturbances, program }, ({ provider, killed }) =>
      this.stack.up(program, { ...options, continueOnError, provider, killed }),
    );
  }

  destroy(disturbances: Disturbances, { refresh = false }: { refresh?: boolean } = {}): Promise<CommandResult> {
    return this.#run({ name: "destroy", disturbances }, ({ provider, killed }) =>
      this.stack.destroy({ provider, killed, refresh }),
    );
  }

  /** `destroy --target … --target-dependents` of one member: the first gate depends on it, the second does not. */
  async destroyMember(index: number, disturbances: Disturbances): Promise<void> {
    const planned = this.plan[index];
    if (planned?.kind !== "fleet") return;
    const targets = [fleetNames.member(planned.name, 0), gateOf(planned.name)];
    await this.#run({ name: "destroy", disturbances }, ({ provider, killed }) =>
      this.stack.destroy({ provider, killed, targets }),
    );
  }

  refresh(disturbances: Disturbances): Promise<CommandResult> {
    const { program } = this;
    return this.#run({ name: "refresh", disturbances, program }, ({ provider, killed }) =>
      this.stack.refresh(provider, killed),
    );
  }

  /** `gpufleet expired --destroy`, long after the time of whatever has one. */
  async endExpired(disturbances: Disturbances): Promise<CommandResult> {
    await this.wait(expirySeconds + 3600);
    const { program } = this;
    return this.#run({ name: "expire", disturbances, program }, ({ provider, killed }) =>
      this.stack.refresh(provider, killed),
    );
  }

  /** The same commands, by mistake with another account or at another address. Not `up` where the state has nothing yet: a stack may begin anywhere. */
  async runElsewhere(
    place: ElsewhereName,
    command: "up" | "destroy" | "refresh",
    { refresh = true }: { refresh?: boolean } = {},
  ): Promise<void> {
    const { program } = this;
    if (command === "up" && !this.ledger.entries.some(isPlaced)) return;
    const { service } = elsewheres[place];
    const elsewhere = await openElsewhere(this.rig, elsewheres[place], this.circumstances.account);
    this.elsewhere.push(elsewhere);
    await this.#run(
      { name: command, disturbances: { faults: [] }, program, place: { service, elsewhere } },
      (running) => {
        const { provider, killed } = running;
        if (command === "destroy") return this.stack.destroy({ provider, killed });
        if (command === "refresh") return this.stack.refresh(provider, killed);
        return this.stack.up(program, { refresh, provider, killed });
      },
    );
  }

  /** `up` while a list shows nothing for as long as anybody looks. Only where that must be noticed: much that vanishes at once. */
  async upWithoutList(): Promise<void> {
    const present = this.ledger.entries.filter(({ outputs }) => !isExpired(outputs));
    const held = present.filter(({ type, id }) => type === "BareMetalRental" && /^\d+$/.test(id));
    const kind = "leaves-out-bare-metal";
    if (new Set(held.map(({ id }) => id)).size < 2 || !this.isPromisedDespite(kind)) return;
    const faults = [{ kind, at: 0, times: 10_000 } as const];
    await this.up({ faults }, { refresh: true });
  }

  /** `refresh` while no list shows what there is, and each says so in its way, for as long as anybody looks. */
  refreshBlindly(way: number): Promise<CommandResult> {
    return this.refresh({ faults: this.#oneOf(unclear, way) });
  }

  /** `up` with such lists, or with some that lack things for a while, while something else goes wrong as well. */
  upBlindly(way: number, { faults, kill }: Disturbances, options: UpOptions): Promise<CommandResult> {
    return this.up({ faults: [...faults, ...this.#oneOf([...unclear, ...lacking], way)], kill }, options);
  }

  /**
   * What a killed provider has made, no state has a record of: only lists show it, and so they are whole from then on. What a proxy has made
   * by sending a request twice is known by its label alone, and promised where that is kept. And where a number may be that of two volumes,
   * lists must say which one they mean.
   */
  isPromisedDespite(kind: FaultName): boolean {
    const { labels, volumeIds } = this.circumstances;
    if (this.wasProviderKilled && hidesMachines(kind)) return false;
    return !(labels === "capitals" && kind === "sent-twice") && !(volumeIds === "crossed" && kind === "loses-ids");
  }

  /** Another one each time. */
  #oneOf(kinds: readonly Fault[], way: number): Fault[] {
    const promised = kinds.filter(({ kind }) => this.isPromisedDespite(kind));
    const chosen = promised[(way + this.commands.length) % promised.length];
    return chosen ? [chosen] : [];
  }

  /** `gpufleet recover`, and what it says to do. */
  async recover(): Promise<void> {
    // It refuses to work beside what is somebody else's by now, and says so.
    this.outside.dropGivenAway();
    this.output.push(...(await recover(this.#recovery)));
    this.ledger.noteHeld();
  }

  /** The same by mistake with another account or at another address. */
  async recoverElsewhere(place = elsewhereNames[this.commands.length % elsewhereNames.length]): Promise<void> {
    // Where the state has nothing yet, another address of the same service is as good.
    const isRight = place && elsewheres[place].has === "ours" && !this.ledger.entries.some(isPlaced);
    if (place === undefined || isRight) return;
    const { service } = elsewheres[place];
    const elsewhere = await openElsewhere(this.rig, elsewheres[place], this.circumstances.account);
    this.elsewhere.push(elsewhere);
    const surroundings = { service, wire: () => elsewhere.transport };
    this.output.push(...(await recover({ ...this.#recovery, surroundings })));
  }

  /** From now on a person has said that what vanished is gone (`GPUFLEET_CONFIRM_GONE=1`). */
  confirmGone = false;

  /** What only a person can settle. */
  async settle(): Promise<void> {
    this.dropVainAdoptions();
    // Twins end with destroy; and where the service lists nothing, a person can do nothing here.
    const isProof = this.circumstances.labels === "kept";
    const isTwin = (one: Made) => isProof && this.ledger.isRepeated(one) && isProvable(one);
    const isLost = (one: Made) => !isTwin(one) && !this.ledger.isUnlisted(one);
    const isListed = (type: string) => !this.ledger.isUnlisted({ type });
    const lost = () => this.ledger.lost().filter(isLost);
    const outcomeOf = (urn: string) => {
      const held = new Set(this.ledger.entries.map(keyOf));
      const isOutcome = (one: Made) => one.urn === urn && one.rentalId === undefined && !held.has(keyOf(one));
      return this.ledger.live().find((one) => isOutcome(one) && isLost(one));
    };
    const hasLookalikes = this.hasLookalikes || !isProof;
    this.output.push(...(await settle(this.#recovery, { lost, outcomeOf, isListed, hasLookalikes })));
    this.ledger.noteHeld();
  }

  /** Whether somebody may have what looks like a machine of this stack, without a label that tells them apart. */
  get hasLookalikes(): boolean {
    return this.circumstances.lookalikes || this.outside.givenAway.size > 0;
  }

  /** What is gone or has failed cannot be adopted: the error says to remove `adoptId`. */
  dropVainAdoptions(): void {
    const billing = this.ledger.billing();
    for (const planned of this.plan) {
      const types = ["BareMetalRental", "VmRental"];
      const records = types.flatMap((type) => billing.get(`${type} ${planned.adoptId}`) ?? []);
      if (!records.some(({ status }) => status !== "Failed")) planned.adoptId = undefined;
    }
  }

  get #recovery(): Recovery {
    const { rig, stack, neighbours, program } = this;
    return { rig, stack, neighbours, program, surroundings: { wire: this.#wire } };
  }

  /** The inputs of a resource change so that it must be replaced. What was rented by hand is then rented anew. */
  change(index: number): void {
    const planned = this.plan[index];
    if (!planned) return;
    planned.generation += 1;
    planned.adoptId = undefined;
  }

  /** An input of a resource changes in place. */
  toggle(index: number): void {
    const planned = this.plan[index];
    if (planned) planned.flag = !planned.flag;
  }

  /** A resource is to expire, where that is what changes in place of it. */
  letExpire(index: number): void {
    const planned = this.plan[index];
    if (planned && getResourceKind(planned.kind).expires) planned.flag = true;
  }

  /** A resource gets another name. Where it can, it takes its machine along by `adoptId`. */
  rename(index: number): void {
    const planned = this.plan[index];
    if (!planned || planned.kind === "fleet") return;
    const kept = this.stack.state.get(planned.name);
    const isRental = kept?.type === "BareMetalRental" || kept?.type === "VmRental";
    const mayAdopt = kept && isRental && /^\d+$/.test(kept.id) && !this.outside.givenAway.has(keyOf(kept));
    planned.name = `${planned.name}-x`;
    if (mayAdopt) planned.adoptId = kept.id;
  }

  /** The same with an alias, or with `pulumi state rename`: the engine knows that it is the same one. */
  renameWithAlias(index: number): void {
    const planned = this.plan[index];
    if (!planned || planned.kind === "fleet") return;
    const kept = this.stack.state.get(planned.name);
    const name = `${planned.name}-y`;
    if (kept) {
      this.stack.state.delete(planned.name);
      this.stack.state.set(name, { ...kept, name });
      this.ledger.moved(this.stack.urn(kept.type, planned.name), this.stack.urn(kept.type, name));
    }
    planned.name = name;
  }

  /** `pulumi stack rename`. Not where something is lost of which no state has a record: it has the old name in its label. */
  renameStack(): void {
    if (this.wasProviderKilled || this.ledger.lost().some(({ command }) => !command.wasKilled)) return;
    this.stack.rename(`renamed-${this.commands.length}`);
    // Some may have another name by now than the one they were made for.
    for (const one of this.ledger.made) one.urn = one.urn.replace(/^urn:pulumi:[^:]*/, stackOf(this.stack.urn("", "")));
  }

  /** `up` with another resource that is to adopt the machine of this one, by mistake. */
  async adoptTwice(index: number, disturbances: Disturbances): Promise<void> {
    const planned = this.plan[index];
    const kept = planned && this.stack.state.get(planned.name);
    if (!planned || !kept || !/^(BareMetal|Vm)Rental$/.test(kept.type) || !/^\d+$/.test(kept.id)) return;
    if (isExpired(kept.outputs) || this.outside.givenAway.has(keyOf(kept))) return;
    this.plan.push({ ...planned, name: `${planned.name}-too`, adoptId: kept.id });
    await this.up(disturbances);
    this.plan.pop();
  }

  /** The gate of a fleet is lost (`pulumi state delete`): it holds nothing. */
  loseGate(index: number): void {
    const planned = this.plan[index];
    if (planned) this.stack.state.delete(gateOf(planned.name));
  }

  async wait(seconds: number): Promise<void> {
    await this.rig.run(this.rig.clock.sleep(1000 * seconds));
  }

  /** From now on nothing goes wrong, also in what killed commands have left running. */
  stopFaults(): void {
    for (const command of this.commands) command.stopFaults();
    this.rig.emulator.faults.clear();
  }

  readonly serviceNow = (): number => this.serviceTime.home() + this.serviceTime.aheadMs;

  get hits(): Hit[] {
    return this.commands.flatMap(({ hits }) => hits);
  }

  #current(): Command {
    const command = this.commands.at(-1);
    if (!command) throw new Error("no command runs");
    return command;
  }

  /** What is special about this service, for commands and `gpufleet recover` alike. */
  get #wire(): Wire {
    const { account, instanceNames, labels } = this.circumstances;
    const wires = [
      ...(instanceNames === "separate" ? [separateNames] : []),
      ...(labels === "capitals" ? [capitalLabels] : []),
      ...(account === "organization" ? [inOrganization] : []),
    ];
    return (transport) => wires.reduce((inner, wire) => wire(inner), transport);
  }

  /** What the circumstances make of answers, one after the other. */
  #rewrites() {
    const { sparse: isSparse, latePrices: isLate, pageSize, pageForm, times } = this.circumstances;
    return [
      ...(times === "hidden" ? [hiddenTimes] : []),
      ...(isSparse ? [sparse] : []),
      ...(isLate ? [latePrices] : []),
      ...(pageSize === undefined ? [] : [paged(pageSize, pageForm)]),
    ];
  }

  #context(name: CommandName, place: Place | undefined): CommandContext {
    const { budget, lookalikes } = this.circumstances;
    const rewrites = place ? this.#rewrites().filter((one) => one === hiddenTimes) : this.#rewrites();
    return {
      rig: this.rig,
      settings: { maxCostPerHour: budget, confirmGone: this.confirmGone, endExpired: name === "expire" },
      service: place?.service,
      between: (transport) => {
        if (place) return place.elsewhere.transport;
        return this.#wire(lookalikes ? withLookalikes(this.rig, transport) : transport);
      },
      rewrite: async (request, answer) => {
        let rewritten = answer;
        for (const rewrite of rewrites) rewritten = await rewrite(request, rewritten);
        return rewritten;
      },
      onMade: (made, command) => {
        if (!place) this.ledger.noteMade(made, command);
      },
      onEnded: (ended) => {
        if (place) return;
        this.ledger.noteEnded(ended);
        this.outside.noteEnded(ended, this.#current());
      },
      lacks: (request) => this.ledger.isUnlisted({ type: endedBy(request)?.type ?? "" }),
      imitate: (request) => imitate(this.rig, request),
      hide: (request) => this.ledger.hide(request),
      serviceNow: this.serviceNow,
      sleep: (seconds) => {
        this.serviceTime.aheadMs += seconds * 1000;
      },
    };
  }

  async #run(
    { name, disturbances, program, place }: Run,
    work: (command: Command) => Promise<Outcome>,
  ): Promise<CommandResult> {
    const command = new Command(this.#context(name, place), name, disturbances);
    this.commands.push(command);
    const before = this.ledger.entries;
    const condemned = new Set(this.stack.condemned.map(({ id }) => id));
    const ranBefore = new Set(this.ledger.billing().keys());
    const from = this.output.length;
    let outcome: Outcome | undefined;
    try {
      outcome = await work(command);
      this.output.push(...Object.values(outcome.errors));
    } catch (error) {
      if (!(error instanceof CommandKilled)) throw error;
    }
    if (command.wasKilled) this.wasKilled = true;
    if (command.providerDead) this.wasProviderKilled = true;
    // Through the link to the engine, which cleans what it passes on.
    this.output.push(...command.provider.shown.map(({ text }) => cleanText(text, { secrets: [key] })));
    // Whatever the killed one had under way gets to its next wait.
    if (command.commandDead) await setImmediate();
    this.ledger.noteHeld();
    const result = { command, outcome, program, before, condemned, ranBefore, shown: this.output.slice(from) };
    this.onEnd(result);
    return result;
  }
}

interface Place {
  service: NonNullable<CommandContext["service"]>;
  elsewhere: Elsewhere;
}

interface Run {
  name: CommandName;
  disturbances: Disturbances;
  program?: Program;
  place?: Place;
}

/** The service's own clock. */
interface ServiceTime {
  aheadMs: number;
  home(): number;
}

/** Whether the state says of something that bills in which account it is. */
function isPlaced({ type, outputs }: Pick<Kept, "type" | "outputs">): boolean {
  const isOwned = getHandler(type).owned !== undefined;
  return isOwned && !isExpired(outputs) && readWhereabouts(outputs)?.key !== undefined;
}

/** `urn:pulumi:test` */
function stackOf(urn: string): string {
  return urn.split(":").slice(0, 3).join(":");
}

let largestMachine: MarketplaceMachine | undefined;

/** The market is the same in every session, being decided by the emulator's seed. */
async function getLargestMachine(rig: Rig): Promise<MarketplaceMachine> {
  if (largestMachine) return largestMachine;
  const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
  const [largest] = instances
    .filter(({ status, reserved }) => status === "node_ready" && !reserved)
    .sort((one, other) => other.gpus_total - other.gpus_reserved - (one.gpus_total - one.gpus_reserved));
  if (!largest) throw new Error("the marketplace is empty");
  largestMachine = { clusterName: largest.cluster_name, nodeName: largest.id };
  return largestMachine;
}
