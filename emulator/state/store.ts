import type { AttachmentFacts, Fact, InferenceFacts, InstanceFacts, RentalFacts, VolumeFacts } from "./facts";
import { type Journal, noJournal } from "./journal";
import { phaseAt } from "./transitions";

const firstRentalId = 1001;
const firstVolumeId = 1;

/** Everything that the emulator knows. Records are replaced, never changed, and only by `commit`. */
export class Store {
  readonly rentals = new Map<number, RentalFacts>();
  readonly volumes = new Map<number, VolumeFacts>();
  readonly instances = new Map<string, InstanceFacts>();
  readonly inferences = new Map<string, InferenceFacts>();
  #aheadMs = 0;
  #inferenceCost = 0;
  readonly #attachments = new Map<number, AttachmentFacts>();
  // Found by either end without going through them all; each set holds ids of attachments.
  readonly #byVolume = new Map<number, Set<number>>();
  readonly #byRental = new Map<number, Set<number>>();
  readonly #byNode = new Map<string, Set<string>>();

  constructor(private readonly journal: Journal = noJournal) {
    for (const fact of journal.read()) this.#learn(fact);
    journal.rewrite(this.#everything());
  }

  /** What one request did: kept first, then known. */
  commit(...facts: Fact[]): void {
    this.journal.append(facts);
    for (const fact of facts) this.#learn(fact);
  }

  reset(): void {
    this.journal.rewrite([]);
    const tables = [this.rentals, this.volumes, this.instances, this.inferences, this.#attachments];
    for (const table of [...tables, this.#byVolume, this.#byRental, this.#byNode]) table.clear();
    this.#aheadMs = 0;
    this.#inferenceCost = 0;
  }

  close(): void {
    this.journal.close();
  }

  /** How far the clock was advanced. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** What all inference so far has cost, in nano-USD. */
  get inferenceCostNanoUsd(): number {
    return this.#inferenceCost;
  }

  // Nothing is ever removed, so the number of records tells the next id.
  nextRentalId(): number {
    return firstRentalId + this.rentals.size;
  }

  nextVolumeId(): number {
    return firstVolumeId + this.volumes.size;
  }

  nextAttachmentId(): number {
    return this.#attachments.size;
  }

  attachmentsOfVolume(volumeId: number, at: number): AttachmentFacts[] {
    return this.#attachmentsAt(this.#byVolume.get(volumeId), at);
  }

  attachmentsOfRental(rentalId: number, at: number): AttachmentFacts[] {
    return this.#attachmentsAt(this.#byRental.get(rentalId), at);
  }

  instancesOnNode(nodeName: string): InstanceFacts[] {
    return [...(this.#byNode.get(nodeName) ?? [])].flatMap((id) => this.instances.get(id) ?? []);
  }

  #attachmentsAt(ids: Set<number> | undefined, at: number): AttachmentFacts[] {
    return [...(ids ?? [])].flatMap((id) => {
      const attachment = this.#attachments.get(id);
      return attachment && this.#holds(attachment, at) ? attachment : [];
    });
  }

  /** An attachment ends when it is detached, or with its rental. */
  #holds(attachment: AttachmentFacts, at: number): boolean {
    const rental = this.rentals.get(attachment.rentalId);
    const detached = attachment.until !== null && at >= attachment.until;
    return rental !== undefined && at >= attachment.from && !detached && phaseAt(rental.life, at) !== "ended";
  }

  #learn(fact: Fact): void {
    switch (fact.of) {
      case "rental":
        this.rentals.set(fact.is.id, fact.is);
        break;
      case "volume":
        this.volumes.set(fact.is.id, fact.is);
        break;
      case "attachment":
        this.#attachments.set(fact.is.id, fact.is);
        index(this.#byVolume, fact.is.volumeId, fact.is.id);
        index(this.#byRental, fact.is.rentalId, fact.is.id);
        break;
      case "instance":
        this.instances.set(fact.is.id, fact.is);
        index(this.#byNode, fact.is.nodeName, fact.is.id);
        break;
      case "inference":
        this.inferences.set(fact.is.id, fact.is);
        this.#inferenceCost += fact.is.costNanoUsd;
        break;
      case "clock":
        this.#aheadMs = fact.is.aheadMs;
    }
  }

  #everything(): Fact[] {
    return [
      ...Array.from(this.rentals.values(), (is): Fact => ({ of: "rental", is })),
      ...Array.from(this.volumes.values(), (is): Fact => ({ of: "volume", is })),
      ...Array.from(this.#attachments.values(), (is): Fact => ({ of: "attachment", is })),
      ...Array.from(this.instances.values(), (is): Fact => ({ of: "instance", is })),
      ...Array.from(this.inferences.values(), (is): Fact => ({ of: "inference", is })),
      { of: "clock", is: { aheadMs: this.#aheadMs } },
    ];
  }
}

function index<Key, Id>(sets: Map<Key, Set<Id>>, key: Key, id: Id): void {
  const ids = sets.get(key);
  if (ids) ids.add(id);
  else sets.set(key, new Set([id]));
}
