import type { ObjectState } from "../../../emulator";
import { firstRecordId } from "../../../emulator/nouns/storageVolume";
import type { TransportRequest } from "../../../provider/client";
import { readUnresolved, readWhereabouts, unresolvedFingerprint } from "../../../provider/lifecycle";
import { readLabel } from "../../../provider/shared/label";
import type { FakeEngine, Kept, Program } from "../../lifecycle/fakeEngine";
import type { Rig } from "../../lifecycle/rig";
import type { Circumstances } from "./circumstances";
import type { Command, Hit } from "./command";
import { hidesMachines, hidesUnknown, isFault } from "./faultKinds";
import { endedBy, listOf, listWith } from "./requests";
import { idOf } from "./separateNames";
import type { MadeObject } from "./truth";

/** Something of this stack that was made, and by which command. */
export interface Made extends MadeObject {
  command: Command;
  /** Whether the state has ever had it. */
  wasHeld: boolean;
  /** Whether the state has known of it by its own id, as the service lists it. */
  hadOwnId?: boolean;
  /** The resource that it was made for has another name by now. */
  wasMoved?: boolean;
}

/** The stack that is looked at. */
export interface Observed {
  readonly rig: Rig;
  readonly circumstances: Circumstances;
  readonly stack: FakeEngine;
  readonly commands: readonly Command[];
  readonly program: Program;
  /** Machines that were rented by hand, to be adopted. */
  readonly handmade: ReadonlySet<string>;
}

/** As many lists without a machine prove that it is gone, over two minutes. Others between them may lack it, too. */
const fewestLooks = 6;
const shortestMs = 60_000;
/** How many lists leave out what was accepted to end, and was not meant. */
const hidingLists = 4;

/** What is true of a stack, whatever its state and its output say: what it has made, what of that bills, and what is lost. */
export class Ledger {
  /** Everything that requests of this stack have made, as only the service knows it. */
  readonly made: Made[] = [];
  /** What was rented although something of the same resource ran that the state does not hold. */
  readonly doubles: { made: MadeObject; other: MadeObject }[] = [];
  /** What the service has accepted to end. A volume that is being deleted does not show it. */
  readonly #ended = new Set<string>();
  /** What lists leave out although it runs: which lists, and how many of them there are when it is seen again. */
  readonly #hidden = new Map<string, { path: string; lists: number }>();
  readonly #of: Observed;

  constructor(observed: Observed) {
    this.#of = observed;
  }

  /** `<volume>:<rental>` of each pair that is attached. */
  get attachedPairs(): Set<string> {
    const { attachments } = this.#of.rig.emulator;
    return new Set(attachments().map(({ volumeId, rentalId }) => `${volumeId}:${rentalId}`));
  }

  /** Everything that the state has, also what is only there to be deleted. */
  get entries(): Kept[] {
    const entries = [...this.#of.stack.condemned, ...this.#of.stack.state.values()];
    return entries.map((entry) => ({ ...entry, id: ownIdOf(entry) }));
  }

  /** Type and id of everything that others have ever rented. */
  get foreign(): string[] {
    const ours = new Set(this.made.map(keyOf));
    return this.#of.rig.emulator
      .state()
      .map(({ kind, id }) => `${types[kind]} ${id}`)
      .filter((one) => !ours.has(one));
  }

  /** What bills and was made by this stack, or rented by hand and adopted. */
  live(): Made[] {
    const billing = this.billing();
    return this.made.filter((one) => billing.has(keyOf(one)));
  }

  /** What bills and is not about to end: type and id of each, with what the service has of it. */
  billing(): Map<string, ObjectState> {
    return new Map(
      this.#of.rig.emulator
        .state()
        .filter((object) => object.billing && !isEnding(object))
        .map((object): [string, ObjectState] => [`${types[object.kind]} ${object.id}`, object])
        .filter(([one]) => !this.#ended.has(one)),
    );
  }

  /** Type and id of everything that bills, also of what is about to end. */
  everythingBilling(): string[] {
    const billing = this.#of.rig.emulator.state().filter((object) => object.billing);
    return billing.map(({ kind, id }) => `${types[kind]} ${id}`);
  }

  /** Of what bills and is not about to end, what the state does not have under its id or as the outcome of an unresolved create. */
  lost(): Made[] {
    return this.live().filter((one) => !this.holds(one));
  }

  /** Whether the state has it: under its id, as an unresolved create of its resource, or by the rental that it came with. */
  holds(one: MadeObject): boolean {
    const { entries } = this;
    if (entries.some(({ type, id }) => type === one.type && id === one.id)) return true;
    if (one.rentalId !== undefined) {
      const rental = this.made.find(({ id, type }) => id === one.rentalId && type === "BareMetalRental");
      const entry = entries.find(({ type, id }) => type === "BareMetalRental" && id === one.rentalId);
      // What a person has adopted under a name that the program no longer has was never asked for with a volume.
      if (entry) return entry.outputs["storageVolume"] !== undefined;
      return rental !== undefined && this.holds(rental);
    }
    return entries.some(
      ({ name, type, id, inputs, outputs }) =>
        type === one.type &&
        id.startsWith("unresolved:") &&
        // What was there before its create is not what that has made.
        !readUnresolved(id, outputs)?.idsBefore?.includes(one.id) &&
        (inputs["label"] ?? undefined) === one.label &&
        // No two have an automatic label. What was replaced before a rename keeps its name.
        (isProvable(one) || this.#of.stack.urn(type, name) === one.urn),
    );
  }

  /** The volumes that run and were created with the rental of an entry, also where the entry does not know which that is. */
  volumesOf({ type, id }: Kept): Made[] {
    const label = unresolvedFingerprint(id);
    const isIts = (one: Made) => one.type === type && (one.id === id || (isProvable(one) && one.label === label));
    const rentals = this.made.filter(isIts).map((one) => one.id);
    return this.live().filter(({ rentalId }) => rentalId !== undefined && rentals.includes(rentalId));
  }

  /** The service has accepted to end it. */
  noteEnded(one: Pick<MadeObject, "type" | "id">): void {
    this.#ended.add(keyOf(one));
  }

  /** The next lists leave out what this request is to end. */
  hide(request: TransportRequest): void {
    const { rig } = this.#of;
    const path = listWith(request);
    const ended = endedBy(request);
    if (!path || !ended) return;
    rig.fault({ match: { method: "GET", path }, kind: "omit", ids: [ended.id], times: hidingLists });
    this.#hidden.set(keyOf(ended), { path, lists: rig.count("GET", path) + hidingLists });
  }

  /** Whether none but such lists were had since. */
  #isHidden(one: MadeObject): boolean {
    const hidden = this.#hidden.get(keyOf(one));
    return hidden !== undefined && this.#of.rig.count("GET", hidden.path) <= hidden.lists;
  }

  /** Whether the service has accepted from a command to end it: type and id. */
  wasToldToEnd(one: string): boolean {
    return this.#ended.has(one);
  }

  /** Whether a proxy has sent the request twice that made it, so that there is another one. */
  isRepeated(one: MadeObject): boolean {
    return this.made.filter(({ operation, type }) => operation === one.operation && type === one.type).length > 1;
  }

  /** Whether the service has no list of its kind. */
  isUnlisted({ type }: Pick<MadeObject, "type">): boolean {
    return this.#of.circumstances.dialect === "none" && type === "VmRental";
  }

  /**
   * What was made although the request was refused is found in the next list; where that one fails or lags as well, by the next create,
   * if its label proves what it is (docs/reliability.md, "Where less is promised").
   */
  isUnseenAfterRefusal(one: Made): boolean {
    if (!one.isRefused || one.wasHeld) return false;
    return (
      this.isUnlisted(one) || one.command.hits.some(({ purpose }) => purpose === "list" || purpose === "description")
    );
  }

  /** Whether so many lists of a command may have left it out that it counts as gone (docs/reliability.md, "Where less is promised"). */
  wasHidden({ wasHeld, hadOwnId = false }: Made): boolean {
    const hides = hadOwnId ? hidesMachines : hidesUnknown;
    const isHiding = ({ fault, purpose }: Hit) => purpose === "list" && isFault(fault) && hides(fault);
    return (
      wasHeld &&
      this.#of.commands.some(({ hits }) => {
        const times = hits.filter(isHiding).map(({ time }) => time);
        return times.length >= fewestLooks && Math.max(...times) - Math.min(...times) >= shortestMs;
      })
    );
  }

  /** Whether nobody waits until it is ready. */
  neverWaits({ name }: MadeObject): boolean {
    const inputs = this.#of.program[name]?.inputs;
    return typeof inputs === "object" && inputs["waitForReady"] === false;
  }

  /** Notes what the state has by now. */
  noteHeld(): void {
    const seen = this.entries.filter(({ outputs }) => readWhereabouts(outputs)?.hasOwnId).map(keyOf);
    for (const one of this.made) {
      if (this.holds(one)) one.wasHeld = true;
      if (seen.includes(keyOf(one))) one.hadOwnId = true;
    }
    for (const { type, id } of this.entries)
      if (type === "BareMetalRental" && this.#of.handmade.has(id)) this.#adopt(id);
  }

  /** What was rented by hand is this stack's from when its state has it. */
  #adopt(id: string): void {
    const command = this.#of.commands.at(-1);
    if (!command || this.made.some((one) => one.id === id && one.type === "BareMetalRental")) return;
    const operation = { name: "", urn: "" };
    const made = { type: "BareMetalRental", id, label: undefined, name: "", urn: "", operation, isTwin: false };
    this.made.push({ ...made, command, wasHeld: true });
  }

  /** Nothing may be rented while something of the same resource runs that the state does not hold. */
  noteMade(made: MadeObject, command: Command): void {
    const billing = this.billing();
    const others = this.made.filter((one) => one.urn === made.urn && one.type === made.type && billing.has(keyOf(one)));
    for (const other of others) {
      // Of two that one request has made, it was said that both run; the state has one of them.
      if (made.isTwin || this.isRepeated(other) || other.rentalId !== undefined || this.holds(other)) continue;
      // What a killed provider has made without a label of its own, or where nothing is listed, nobody can know to be there. Of what
      // a killed run has made, the state has a record.
      const isUnseen = this.isUnlisted(other);
      if (this.isUnseenAfterRefusal(other) && (isUnseen || !isProvable(other))) continue;
      // What has come back, and tells whose it is, is seen.
      if (this.wasHidden(other) && !(isProvable(other) && command.wholeLists.has(listOf(other.type)))) continue;
      // What a killed provider has made, and was about to end, is known by the lists alone.
      if (other.command.wasKilled && !other.wasHeld && this.#isHidden(other)) continue;
      const isRecorded = this.#hasEarlierCreate(made);
      if (other.command.wasKilled && !other.wasHeld && !isRecorded && (isUnseen || !isProvable(other))) continue;
      // Of a name that a resource had, only its entry tells.
      const isForgotten =
        other.wasMoved && this.entries.every(({ type, name }) => this.#of.stack.urn(type, name) !== made.urn);
      if (other.command.wasKilled && !isRecorded && isForgotten) continue;
      this.doubles.push({ made, other });
    }
    this.made.push({ ...made, command, wasHeld: false });
  }

  /** Whether the state has a pending create of it besides the one under way. */
  #hasEarlierCreate({ urn }: MadeObject): boolean {
    return this.#of.stack.pending.filter(({ type, name }) => this.#of.stack.urn(type, name) === urn).length > 1;
  }

  /** The service has given its id to something of somebody else. */
  forget(one: Pick<MadeObject, "type" | "id">): void {
    const index = this.made.findIndex((made) => keyOf(made) === keyOf(one));
    if (index >= 0) this.made.splice(index, 1);
    this.#ended.delete(keyOf(one));
  }

  /** What was made for one resource is the other's. */
  moved(from: string, to: string): void {
    for (const one of this.made) if (one.urn === from) Object.assign(one, { urn: to, wasMoved: true });
  }
}

/** What the emulator's kinds are called here. */
const types: Record<ObjectState["kind"], string> = {
  "bare-metal": "BareMetalRental",
  "virtual-machine": "VmRental",
  "storage-volume": "StorageVolume",
  "marketplace-instance": "MarketplaceInstance",
};

/** What the emulator calls it. */
export function emulatedKind(type: string): ObjectState["kind"] | undefined {
  const kinds = ["bare-metal", "virtual-machine", "storage-volume", "marketplace-instance"] as const;
  return kinds.find((kind) => types[kind] === type);
}

/** Type and id of something, also where the state has it by its name. */
export function keyOf({ type, id }: Pick<MadeObject, "type" | "id">): string {
  return `${type} ${idOf(id)}`;
}

/** The id of what a state has by its name, or by the id of its record where no list has shown another yet. */
function ownIdOf({ type, id, outputs }: Kept): string {
  const isRecordId = type === "StorageVolume" && Number(id) > firstRecordId && !readWhereabouts(outputs)?.hasOwnId;
  return isRecordId ? String(Number(id) - firstRecordId) : idOf(id);
}

/** Whether its label proves whose it is; that of a volume made with a rental is the rental's. */
export function isProvable({ label, rentalLabel }: MadeObject): boolean {
  return readLabel(rentalLabel ?? label) !== undefined;
}

/** `<volume>:<rental>` of each pair that an entry of the state holds. */
export function pairsOf({ type, id, outputs }: Kept): string[] {
  const rentals: unknown = outputs["rentalIds"];
  if (!Array.isArray(rentals)) return [];
  const volume = type === "StorageVolume" ? id : String(outputs["storageVolumeId"]);
  return rentals.map((rental) => `${volume}:${rental}`);
}

function isEnding({ status }: ObjectState): boolean {
  return status === "Terminating" || status === "stopping";
}
