import type {
  AttachmentFacts,
  Fact,
  InferenceFacts,
  MarketplaceInstanceFacts,
  RentalFacts,
  StorageVolumeFacts,
} from "./facts";
import { type Journal, noJournal } from "./journal";
import { phaseAt } from "./transitions";

const firstRentalId = 1001;
const firstStorageVolumeId = 1;

/** The whole state of the emulator. Records are replaced, never changed, and only by `commit`. */
export class Store {
  readonly rentals = new Map<number, RentalFacts>();
  readonly storageVolumes = new Map<number, StorageVolumeFacts>();
  readonly marketplaceInstances = new Map<string, MarketplaceInstanceFacts>();
  readonly inferences = new Map<string, InferenceFacts>();
  #aheadMs = 0;
  readonly #inferenceCosts = new Map<string, number>();
  readonly #attachments = new Map<number, AttachmentFacts>();
  // Indexes, so that no lookup goes through all records; each set holds ids.
  readonly #byStorageVolume = new Map<number, Set<number>>();
  readonly #byRental = new Map<number, Set<number>>();
  readonly #byNode = new Map<string, Set<string>>();

  constructor(private readonly journal: Journal = noJournal) {
    for (const fact of journal.read()) this.#apply(fact);
    journal.rewrite(this.#everything());
  }

  /** Stores what one request did, then applies it. */
  commit(...facts: Fact[]): void {
    this.journal.append(facts);
    for (const fact of facts) this.#apply(fact);
  }

  reset(): void {
    this.journal.rewrite([]);
    const tables = [this.rentals, this.storageVolumes, this.marketplaceInstances, this.inferences, this.#attachments];
    for (const table of [...tables, this.#byStorageVolume, this.#byRental, this.#byNode]) table.clear();
    this.#aheadMs = 0;
    this.#inferenceCosts.clear();
  }

  close(): void {
    this.journal.close();
  }

  /** How far the clock was advanced. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** What all inference of an account so far has cost, in nano-USD; of all accounts where none is given. */
  inferenceCostNanoUsd(account?: string): number {
    if (account !== undefined) return this.#inferenceCosts.get(account) ?? 0;
    return [...this.#inferenceCosts.values()].reduce((sum, cost) => sum + cost, 0);
  }

  /** Everything that has a price. */
  get billed() {
    return [this.rentals, this.storageVolumes, this.marketplaceInstances];
  }

  // Nothing is ever removed, so the number of records gives the next id.
  nextRentalId(): number {
    return firstRentalId + this.rentals.size;
  }

  nextStorageVolumeId(): number {
    return firstStorageVolumeId + this.storageVolumes.size;
  }

  nextAttachmentId(): number {
    return this.#attachments.size;
  }

  attachmentsOfStorageVolume(volumeId: number, at: number): AttachmentFacts[] {
    return this.#attachmentsAt(this.#byStorageVolume.get(volumeId), at);
  }

  attachmentsOfRental(rentalId: number, at: number): AttachmentFacts[] {
    return this.#attachmentsAt(this.#byRental.get(rentalId), at);
  }

  /** Those that nobody has undone, whether or not they hold. */
  openAttachments(of: { volumeId: number } | { rentalId: number }): AttachmentFacts[] {
    const ids = "volumeId" in of ? this.#byStorageVolume.get(of.volumeId) : this.#byRental.get(of.rentalId);
    return [...(ids ?? [])].flatMap((id) => this.#attachments.get(id) ?? []).filter(({ until }) => until === null);
  }

  marketplaceInstancesOnNode(nodeName: string): MarketplaceInstanceFacts[] {
    return [...(this.#byNode.get(nodeName) ?? [])].flatMap((id) => this.marketplaceInstances.get(id) ?? []);
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

  #apply(fact: Fact): void {
    switch (fact.kind) {
      case "rental":
        this.rentals.set(fact.record.id, fact.record);
        break;
      case "storageVolume":
        this.storageVolumes.set(fact.record.id, fact.record);
        break;
      case "attachment":
        this.#attachments.set(fact.record.id, fact.record);
        index(this.#byStorageVolume, fact.record.volumeId, fact.record.id);
        index(this.#byRental, fact.record.rentalId, fact.record.id);
        break;
      case "marketplaceInstance":
        this.marketplaceInstances.set(fact.record.id, fact.record);
        index(this.#byNode, fact.record.nodeName, fact.record.id);
        break;
      case "inference":
        this.inferences.set(fact.record.id, fact.record);
        this.#inferenceCosts.set(
          fact.record.account,
          this.inferenceCostNanoUsd(fact.record.account) + fact.record.costNanoUsd,
        );
        break;
      case "clock":
        this.#aheadMs = fact.record.aheadMs;
    }
  }

  #everything(): Fact[] {
    return [
      ...Array.from(this.rentals.values(), (record): Fact => ({ kind: "rental", record })),
      ...Array.from(this.storageVolumes.values(), (record): Fact => ({ kind: "storageVolume", record })),
      ...Array.from(this.#attachments.values(), (record): Fact => ({ kind: "attachment", record })),
      ...Array.from(this.marketplaceInstances.values(), (record): Fact => ({ kind: "marketplaceInstance", record })),
      ...Array.from(this.inferences.values(), (record): Fact => ({ kind: "inference", record })),
      { kind: "clock", record: { aheadMs: this.#aheadMs } },
    ];
  }
}

function index<Key, Id>(sets: Map<Key, Set<Id>>, key: Key, id: Id): void {
  const ids = sets.get(key);
  if (ids) ids.add(id);
  else sets.set(key, new Set([id]));
}
