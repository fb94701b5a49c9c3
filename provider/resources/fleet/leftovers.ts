import { type Operation, type ResourceDefinition, type Snapshot, unheld, type View } from "../../lifecycle";
import { fleetOfGate, marksOfMembers } from "../../shared/fleetNames";
import { readLabel } from "../../shared/label";

export interface Leftover extends View {
  /** The member that it was rented for. */
  member: string;
}

/**
 * Machines that have the mark of a member of this fleet, have not ended, are not of this very run, and are held by no state: what a destroy has left that was
 * killed after their entries were gone. The gate was made before the members and knows none of their ids; their URNs follow
 * from its own, and the marks in their labels from these.
 */
export class LeftoverSearch {
  private marks: ReadonlyMap<string, string> | undefined;

  constructor(
    private readonly operation: Operation,
    private readonly member: ResourceDefinition,
  ) {}

  async findIn(snapshot: Snapshot<unknown>, known: ReadonlySet<string>): Promise<Leftover[]> {
    const { memory } = this.operation.runtime;
    const marked = snapshot.views().flatMap((view): Leftover[] => {
      const isOther = view.phase === "ended" || known.has(view.id) || memory.isClaimed(this.member.type, view.id);
      const member = isOther ? undefined : this.memberOf(view.label);
      return member === undefined ? [] : [{ ...view, member }];
    });
    return unheld({ ...this.operation, type: this.member.type }, marked);
  }

  /** Whether a leftover would be seen in this list: what cannot be read may be one. */
  isConclusive({ unreadable }: Snapshot<unknown>): boolean {
    return unreadable.every(({ label }) => label !== undefined && this.memberOf(label) === undefined);
  }

  private memberOf(label: string | undefined): string | undefined {
    const found = readLabel(label);
    if (found?.stack !== this.operation.marks.stack) return undefined;
    this.marks ??= marksOfMembers(this.operation.urn, this.member.type, fleetOfGate(this.operation.urn));
    return this.marks.get(found.resource);
  }
}
