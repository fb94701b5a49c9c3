import { isExpired, wasListed } from "../../../provider/lifecycle";
import { readLabel } from "../../../provider/shared/label";
import type { FakeEngine, Kept } from "../../lifecycle/fakeEngine";
import type { Rig } from "../../lifecycle/rig";
import type { Circumstances } from "./circumstances";
import type { Command, Hit } from "./command";
import { endInConsole } from "./console";
import { isFault, tellsNothing } from "./faultKinds";
import { emulatedKind, keyOf, type Ledger, pairsOf } from "./ledger";
import { rentLookalikes } from "./neighbours";
import type { PlannedResource } from "./program";
import type { MarketplaceMachine } from "./resourceKinds";
import { idOf } from "./separateNames";

/** No resource of any schedule asks for it. */
const neighboursLabel = "neighbours-own";

/** The stack whose machines and volumes others come across. */
export interface Affected {
  readonly rig: Rig;
  readonly circumstances: Circumstances;
  readonly stack: FakeEngine;
  readonly plan: readonly PlannedResource[];
  readonly ledger: Ledger;
  readonly machine: MarketplaceMachine;
  /** Machines that were rented by hand, to be adopted. */
  readonly handmade: Set<string>;
  wait(seconds: number): Promise<void>;
}

/** What people do beside the commands on a stack, in the console of the service or with programs of their own. */
export class Outside {
  /** What somebody has ended in the console: type and id of each. */
  readonly ended = new Set<string>();
  /** What has ended and whose id the service has given to something of somebody else: type and id of each. */
  readonly givenAway = new Set<string>();
  /** What others have attached: `<volume>:<rental>` of each. */
  readonly attached = new Set<string>();
  /**
   * What was given away and then ended while no list told whose it is, or before any had shown when ours was created
   * (docs/reliability.md, "Where less is promised").
   */
  readonly endedUnseen = new Set<string>();
  readonly #of: Affected;

  constructor(affected: Affected) {
    this.#of = affected;
  }

  /** Somebody ends a resource in the console of the service. */
  async end(name: string): Promise<void> {
    const kept = this.#of.stack.state.get(name);
    if (!kept || kept.id.startsWith("unresolved:") || this.givenAway.has(keyOf(kept))) return;
    this.ended.add(keyOf(kept));
    await this.#of.rig.run(endInConsole(this.#of.rig.client, kept.type, idOf(kept.id)));
  }

  /** A command has ended this. Before it does, it looks twice. */
  noteEnded(one: Pick<Kept, "type" | "id">, { hits }: Command): void {
    const isBlind = ({ fault, purpose }: Hit) => purpose === "list" && isFault(fault) && tellsNothing(fault);
    if (this.givenAway.has(keyOf(one)) && hits.filter(isBlind).length >= 2) this.endedUnseen.add(keyOf(one));
  }

  /** Somebody detaches a volume in the console of the service. */
  async detach(name: string): Promise<void> {
    const kept = this.#of.stack.state.get(name);
    const rentalIds: unknown = kept?.outputs["rentalIds"];
    if (!kept || !Array.isArray(rentalIds) || rentalIds.length === 0) return;
    const storageVolumeId = Number(kept.type === "StorageVolume" ? kept.id : kept.outputs["storageVolumeId"]);
    if (this.givenAway.has(`StorageVolume ${storageVolumeId}`)) return;
    const work = this.#of.rig.client.detachStorageVolume({ storageVolumeId, rentalIds: rentalIds.map(Number) });
    await this.#of.rig.run(work.catch(() => undefined));
  }

  /**
   * Somebody ends the volume of the first attachment, and its rental as well if told so. The service gives their ids to new ones of somebody
   * else, who attaches them to each other, or not yet.
   */
  async givePairAway({ withRental, attaches }: { withRental: boolean; attaches: boolean }): Promise<void> {
    const attachments = [...this.#of.stack.state.values()].filter(({ type }) => type === "VolumeAttachment");
    const pair = attachments.flatMap(pairsOf).find((one) => !this.attached.has(one));
    if (pair === undefined) return;
    const [volume = "", rental = ""] = pair.split(":");
    if (this.givenAway.has(`StorageVolume ${volume}`)) return;
    const parts = [
      { type: "StorageVolume", id: volume },
      ...(withRental ? [{ type: "BareMetalRental", id: rental }] : []),
    ];
    const isHeld = ({ type, id }: { type: string; id: string }) =>
      this.#of.ledger.entries.some((one) => one.type === type && one.id === id && !isExpired(one.outputs));
    if (this.#of.circumstances.dialect === "none" || !parts.every(isHeld)) return;
    const attached = [...this.#of.ledger.attachedPairs].filter((one) => one.startsWith(`${volume}:`));
    const rentalIds = attached.map((one) => Number(one.split(":")[1]));
    if (rentalIds.length > 0) {
      const detach = this.#of.rig.client.detachStorageVolume({ storageVolumeId: Number(volume), rentalIds });
      await this.#of.rig.run(detach.catch(() => undefined));
    }
    for (const one of parts) {
      this.ended.add(keyOf(one));
      await this.#of.rig.run(endInConsole(this.#of.rig.client, one.type, one.id));
    }
    await this.#of.wait(120);
    const billing = new Set(this.#of.ledger.everythingBilling());
    if (parts.some((one) => billing.has(keyOf(one)))) return;
    this.#of.rig.emulator.reuseId("storage-volume", volume, neighboursLabel);
    if (withRental) {
      this.#of.rig.emulator.reuseId("bare-metal", rental, neighboursLabel);
      // What others had attached to the former one has ended with it.
      for (const one of this.attached) if (one.endsWith(`:${rental}`)) this.attached.delete(one);
    }
    for (const one of parts) {
      this.givenAway.add(keyOf(one));
      this.#of.ledger.forget(one);
      for (const planned of this.#of.plan) if (planned.adoptId === one.id) planned.adoptId = undefined;
    }
    if (!attaches) return;
    const request = { storageVolumeId: Number(volume), rentalIds: [Number(rental)] };
    const attach = this.#of.rig.client.attachStorageVolume(request).then(() => this.attached.add(pair));
    // Nothing can be attached to a rental that has ended meanwhile.
    await this.#of.rig.run(attach.catch(() => undefined));
  }

  /**
   * Somebody ends a resource, and the service gives its id to a new one of somebody else in the same account, which has a label of theirs; or
   * none, or the one that we chose, where the time of its creation tells. Not where a volume of ours would be left without its rental.
   */
  async giveIdAway(index: number, withLabel: boolean): Promise<void> {
    const planned = this.#of.plan[index];
    const kept = planned && this.#of.stack.state.get(planned.name);
    const kind = kept && emulatedKind(kept.type);
    if (!kept || !kind || kept.outputs["storageVolume"] !== undefined || this.#of.circumstances.dialect === "none")
      return;
    const pairs = [...this.#of.ledger.attachedPairs, ...this.#of.ledger.entries.flatMap(pairsOf)];
    if (pairs.some((pair) => pair.split(":").includes(kept.id))) return;
    if (/^unresolved:/.test(kept.id) || isExpired(kept.outputs) || this.givenAway.has(keyOf(kept))) return;
    const label = String(kept.outputs["label"] ?? "");
    const isTold = this.#of.circumstances.times === "shown";
    const theirLabel = withLabel || !isTold ? neighboursLabel : readLabel(label) ? "" : label;
    if (!isTold && kind === "marketplace-instance") return;
    await this.end(planned.name);
    await this.#of.wait(120);
    if (this.#of.ledger.everythingBilling().includes(keyOf(kept))) return;
    this.#of.rig.emulator.reuseId(kind, idOf(kept.id), theirLabel);
    this.givenAway.add(keyOf(kept));
    if (theirLabel !== neighboursLabel && !wasListed(kept.outputs)) this.endedUnseen.add(keyOf(kept));
    this.#of.handmade.delete(kept.id);
    this.#of.ledger.forget(kept);
    for (const one of this.#of.plan) if (one.adoptId === kept.id) one.adoptId = undefined;
  }

  /** What errors say is somebody else's is taken out of the state by a person (`pulumi state delete`). */
  dropGivenAway(): void {
    const isGivenAway = (kept: Kept) => this.givenAway.has(keyOf(kept));
    for (const kept of [...this.#of.stack.state.values()].filter(isGivenAway)) this.#of.stack.state.delete(kept.name);
    const left = this.#of.stack.condemned.filter((kept) => !isGivenAway(kept));
    this.#of.stack.condemned.splice(0, this.#of.stack.condemned.length, ...left);
  }

  /** Somebody rents what looks like a resource of this stack. */
  async rentLookalikes(index: number): Promise<void> {
    const planned = this.#of.plan[index];
    if (planned) await rentLookalikes(this.#of.rig, planned.stem, this.#of.machine);
  }
}
