import { getOrMake } from "../../shared/getOrMake";
import { eachCreate, type Unresolved } from "./unresolved";
import type { Values } from "./values";
import type { View } from "./view";

/**
 * What this process has seen and done. It is not the state: where a decision depends on what else the state holds, the state
 * is asked (see `StateWitness`) and this is laid over it, because the state is written only after each step.
 */
export class Memory {
  /** By the resource that the state holds it for. */
  private readonly owners = new Map<string, string>();
  /** Those of them that the program still has. */
  private readonly wanted = new Map<string, string>();
  private readonly program = new Set<string>();
  private readonly labels = new Set<string>();
  private readonly madeLabels = new Set<string>();
  private readonly dropped = new Map<string, ReadonlySet<string>>();
  private readonly former = new Map<string, string>();
  private readonly unresolved = new Map<string, readonly Unresolved[]>();
  private readonly takenOver = new Map<string, string>();
  private readonly claimed = new Set<string>();
  private readonly adopting = new Map<string, string>();
  private readonly requests = new Map<string, Set<Promise<void>>>();
  private readonly along = new Map<string, string>();
  private readonly imported = new Set<string>();
  private readonly endings = new Set<string>();
  private readonly early = new Map<string, Promise<void>>();
  private readonly endedEarly = new Set<string>();
  private readonly deletions = new Map<string, number>();
  private readonly notes = new Map<string, boolean>();
  private readonly keepers = new Map<string, Set<string>>();
  private readonly losses = new Map<string, string>();
  private readonly expired = new Map<string, Set<string>>();
  private readonly expiredMembers = new Map<string, string[]>();
  private elsewhere: string | undefined;
  private ownAccount = false;
  private readonly before = new Map<string, ReadonlySet<string>>();
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly deletedGates = new Set<string>();
  private readonly closedGates = new Set<string>();
  private readonly handedOver = new Map<string, HandedOver[]>();

  /** The state of this resource holds this id. */
  remember(type: string, id: string, urn: string): void {
    this.owners.set(keyOf(type, id), urn);
    this.dropped.delete(keyOf(type, id));
  }

  /**
   * A read has found that it is gone, and the engine drops it from the state, where this resource had it under these names. A list that
   * shows it again shows something that nobody has.
   */
  drop(type: string, id: string, { urns, label }: { urns: readonly string[]; label: unknown }): void {
    const key = keyOf(type, id);
    this.dropped.set(key, new Set([...(this.dropped.get(key) ?? []), ...urns]));
    for (const holders of [this.owners, this.wanted]) if (urns.includes(holders.get(key) ?? "")) holders.delete(key);
    if (typeof label === "string") this.labels.delete(label);
  }

  /** Whether a read of this process has dropped what this entry of the state holds. */
  isDropped({ type, id, urn }: { type: string; id: string; urn: string }): boolean {
    return this.dropped.get(keyOf(type, id))?.has(urn) ?? false;
  }

  /** The ids of this type that reads have dropped: of any resource, or of one. */
  droppedIdsOf(type: string, urn?: string): string[] {
    const keys = [...this.dropped].filter(([, urns]) => urn === undefined || urns.has(urn)).map(([key]) => key);
    return idsAmong(keys, type);
  }

  /**
   * The ids that reads have dropped and a resource may have had: under its own name, or under one that the program does not have, as far as it came
   * by. A resource that is dropped and has a new name by an alias is a new one to the engine.
   */
  droppedIdsFor(type: string, urn: string): string[] {
    const mayBeIts = (urns: ReadonlySet<string>) => urns.has(urn) || ![...urns].some((one) => this.isInProgram(one));
    return idsAmong(
      [...this.dropped].filter(([, urns]) => mayBeIts(urns)).map(([key]) => key),
      type,
    );
  }

  /** The program has this resource, and the state holds this id for it. */
  rememberWanted(type: string, id: string, urn: string): void {
    this.remember(type, id, urn);
    this.wanted.set(keyOf(type, id), urn);
  }

  /** The program has this resource: the engine checks what the program has, whereas a refresh compares all that the state has. */
  rememberProgram(urn: string): void {
    this.program.add(urn);
  }

  isInProgram(urn: string): boolean {
    return this.program.has(urn);
  }

  /** The program has this resource under another name than the state: it has an alias, or the stack was renamed. */
  rememberFormer(urn: string, former: string): void {
    this.former.set(urn, former);
  }

  /** The URNs of a resource: that of the program, and the one from before, if there is one. */
  urnsOf(urn: string): string[] {
    const former = this.former.get(urn);
    return former === undefined ? [urn] : [urn, former];
  }

  /** Every id of this type that the state holds, as far as it came by. */
  idsOf(type: string): string[] {
    return idsAmong([...this.owners.keys()], type);
  }

  /** Whether the state holds any of this type, as far as it came by, or a create of this process has made one. */
  hasAny(type: string): boolean {
    return [...this.owners.keys(), ...this.claimed].some((key) => key.startsWith(`${type} `));
  }

  /** The ids of this type that the state holds for one resource, as far as they came by. */
  idsHeldFor(type: string, urn: string): string[] {
    return this.idsOf(type).filter((id) => this.owners.get(keyOf(type, id)) === urn);
  }

  /** This process has made the label itself: no other create can have it, unless a saved plan is followed once more. */
  noteMadeLabel(label: string): void {
    this.madeLabels.add(label);
  }

  hasMadeLabel(label: unknown): boolean {
    return typeof label === "string" && this.madeLabels.has(label);
  }

  rememberLabel(label: unknown): void {
    if (typeof label === "string") this.labels.add(label);
  }

  /** Whether the state holds a resource with this label. */
  knowsLabel(label: string | undefined): boolean {
    return label !== undefined && this.labels.has(label);
  }

  /** The state of this resource holds a create whose result never became known. */
  rememberUnresolved(urn: string, unresolved: Unresolved): void {
    this.unresolved.set(urn, eachCreate([...this.unresolvedOf(urn), unresolved]));
  }

  unresolvedOf(urn: string): readonly Unresolved[] {
    return this.unresolved.get(urn) ?? [];
  }

  /** Whether no resource has this one: neither in the state, as far as it came by, nor by a create of this process. */
  isFree(type: string, id: string): boolean {
    return !this.owners.has(keyOf(type, id)) && !this.claimed.has(keyOf(type, id));
  }

  /** The URN of the resource of the program that has this id. */
  wantedBy(type: string, id: string): string | undefined {
    return this.wanted.get(keyOf(type, id));
  }

  /** A create of this process has this id: nothing else may take it. */
  claim(type: string, id: string): void {
    this.claimed.add(keyOf(type, id));
  }

  isClaimed(type: string, id: string): boolean {
    return this.claimed.has(keyOf(type, id));
  }

  /** What was claimed turned out not to be had. */
  release(type: string, id: string): void {
    this.claimed.delete(keyOf(type, id));
  }

  /** The id was taken over by a create of this process: the delete of the one that had it must leave it alone. */
  takeOver(type: string, id: string, urn: string): void {
    this.claim(type, id);
    this.takenOver.set(keyOf(type, id), urn);
  }

  /** The URN of the resource that took the id over. */
  takenOverBy(type: string, id: string): string | undefined {
    return this.takenOver.get(keyOf(type, id));
  }

  /** The program names this one as what a resource is to take over, whether or not that succeeds. */
  rememberAdopting(type: string, id: string, urn: string): void {
    this.adopting.set(keyOf(type, id), urn);
  }

  /** The URN of the resource that was to take the id over and, as far as this process knows, has not. */
  adoptedInVainBy(type: string, id: string): string | undefined {
    const key = keyOf(type, id);
    const urn = this.adopting.get(key);
    return [this.takenOver, this.owners, this.wanted].some((those) => those.get(key) === urn) ? undefined : urn;
  }

  /** This very process has imported it. */
  noteImported(type: string, id: string): void {
    this.imported.add(keyOf(type, id));
  }

  wasImported(type: string, id: string): boolean {
    return this.imported.has(keyOf(type, id));
  }

  /** Whether a create of this very process has made it, and not taken it over. */
  wasMadeHere(type: string, id: string): boolean {
    return this.claimed.has(keyOf(type, id)) && !this.takenOver.has(keyOf(type, id));
  }

  /** The service has accepted to end it: that it vanishes is no surprise. */
  noteEnding(type: string, id: string): void {
    this.endings.add(keyOf(type, id));
  }

  isEnding(type: string, id: string): boolean {
    return this.endings.has(keyOf(type, id));
  }

  /** The URNs of what only waits until something else has gone. */
  readonly waitingForOthers = new Set<string>();

  /** Ends something before its turn has come, and once: the engine's own delete of it finds that done. */
  endEarly(type: string, id: string, end: () => Promise<void>): Promise<void> {
    const key = keyOf(type, id);
    return getOrMake(this.early, key, () => end().then(() => void this.endedEarly.add(key)));
  }

  wasEndedEarly(type: string, id: string): boolean {
    return this.endedEarly.has(keyOf(type, id));
  }

  /** The state of this resource has this one as expired and ended. */
  noteExpired(type: string, id: string, urn: string): void {
    const key = keyOf(type, id);
    this.expired.set(key, (this.expired.get(key) ?? new Set()).add(urn));
  }

  /** Not where another resource has the id by now: a service may give it again, and what has it runs. */
  isExpired(type: string, id: string): boolean {
    const key = keyOf(type, id);
    const urns = this.expired.get(key);
    const owner = this.owners.get(key);
    return urns !== undefined && !this.claimed.has(key) && (owner === undefined || urns.has(owner));
  }

  /** The same of a member of a fleet, for its gate to tell. */
  noteExpiredMember(gate: string, time: string): void {
    this.expiredMembers.set(gate, [...(this.expiredMembers.get(gate) ?? []), time]);
  }

  takeExpiredMembers(gate: string): string[] {
    const times = this.expiredMembers.get(gate) ?? [];
    this.expiredMembers.delete(gate);
    return times;
  }

  /** An entry of the state that held this key is being deleted. */
  noteDeletion(type: string, id: string): void {
    this.deletions.set(keyOf(type, id), this.deletionsOf(type, id) + 1);
  }

  deletionsOf(type: string, id: string): number {
    return this.deletions.get(keyOf(type, id)) ?? 0;
  }

  /** Something of this type came along with what has the other id, and is nobody else's. */
  noteAlong(type: string, id: string, otherId: string): void {
    this.along.set(keyOf(type, id), otherId);
  }

  cameAlongWith(type: string, id: string): string | undefined {
    return this.along.get(keyOf(type, id));
  }

  /** Sends a create of this type. It must claim what it has made: until then lists show that as nobody's. */
  async underWay<Result>(type: string, send: (wire: OnWire) => Promise<Result>): Promise<Result> {
    const requests = this.requests.get(type) ?? new Set();
    this.requests.set(type, requests);
    let end = () => {};
    const begin = () => {
      const answered = new Promise<void>((resolve) => {
        end = resolve;
      });
      requests.add(answered);
      void answered.then(() => requests.delete(answered));
    };
    try {
      return await send({ begin, putOff: () => end() });
    } finally {
      end();
    }
  }

  /** Resolves when all creates of this type that are on the wire now are answered. */
  async whenAnswered(type: string): Promise<void> {
    await Promise.all(this.requests.get(type) ?? []);
  }

  /** Runs what must not run side by side with anything else that has one of these keys. */
  async inTurn<Result>(keys: readonly string[], run: () => Promise<Result>): Promise<Result> {
    // All keys at once and without awaiting in between: so no two can wait for each other.
    const before = keys.map((key) => this.turns.get(key));
    const turn = Promise.allSettled(before).then(run);
    const done = turn.catch(() => undefined);
    for (const key of keys) this.turns.set(key, done);
    return turn;
  }

  /** A resource of this stack is at another address than this process asks, and so is whatever it would rent. */
  noteElsewhere(reason: string): void {
    this.elsewhere = reason;
  }

  whyElsewhere(): string | undefined {
    return this.elsewhere;
  }

  /** A list, or the state itself, has shown that the key is of the account which has what the state holds. */
  noteOwnAccount(): void {
    this.ownAccount = true;
  }

  get isOwnAccount(): boolean {
    return this.ownAccount;
  }

  /** What is to be said if this resource is replaced. */
  noteLoss(urn: string, warning: string | undefined): void {
    if (warning === undefined) this.losses.delete(urn);
    else this.losses.set(urn, warning);
  }

  /** The same, for it to be said: once. */
  takeLoss(urn: string): string | undefined {
    const warning = this.losses.get(urn);
    this.losses.delete(urn);
    return warning;
  }

  /** What was there before a resource was made. */
  rememberBefore(urn: string, ids: ReadonlySet<string>): void {
    this.before.set(urn, ids);
  }

  idsBefore(urn: string): ReadonlySet<string> | undefined {
    return this.before.get(urn);
  }

  /** What the program says now of a resource that the state may still know otherwise. */
  note(urn: string, key: string, value: boolean): void {
    this.notes.set(`${urn} ${key}`, value);
  }

  noted(urn: string, key: string): boolean | undefined {
    return this.notes.get(`${urn} ${key}`);
  }

  /** Whether a resource of the program is to leave behind what it calls so when it ends. */
  noteKeeper(what: string, urn: string, keeps: boolean): void {
    const keepers = this.keepers.get(what) ?? new Set();
    if (keeps) keepers.add(urn);
    else keepers.delete(urn);
    this.keepers.set(what, keepers);
  }

  /** The URNs of those that do. */
  keepersOf(what: string): string[] {
    return [...(this.keepers.get(what) ?? [])];
  }

  /** The gate of a fleet was deleted by this process. */
  noteGateDeleted(urn: string): void {
    this.deletedGates.add(urn);
  }

  wasGateDeleted(urn: string): boolean {
    return this.deletedGates.has(urn);
  }

  /** Has a gate wait for the end of a machine; false where the gate itself is done. */
  handOver(gate: string, machine: HandedOver): boolean {
    if (this.closedGates.has(gate)) return false;
    this.handedOver.set(gate, [...(this.handedOver.get(gate) ?? []), machine]);
    return true;
  }

  /** What was handed over to a gate since it last asked. */
  takeHandedOver(gate: string): HandedOver[] {
    const machines = this.handedOver.get(gate) ?? [];
    this.handedOver.delete(gate);
    return machines;
  }

  /** A gate is done, unless something was handed over to it meanwhile. */
  closeGate(gate: string): boolean {
    if (this.handedOver.has(gate)) return false;
    this.closedGates.add(gate);
    return true;
  }
}

/** Says when a request is on its way: what the service has put off has made nothing so far. */
export interface OnWire {
  begin(): void;
  putOff(): void;
}

/** A machine whose end the service has taken, and which another resource waits for. */
export interface HandedOver {
  type: string;
  id: string;
  /** The name of the member. */
  name: string;
  /** What the state had of it. */
  state: Values;
  /** Its record, as the list showed it on its way out. */
  view: View | undefined;
}

function keyOf(type: string, id: string): string {
  return `${type} ${id}`;
}

function idsAmong(keys: readonly string[], type: string): string[] {
  return keys.filter((key) => key.startsWith(`${type} `)).map((key) => key.slice(type.length + 1));
}
