import {
  describe,
  EndWatch,
  endAndWait,
  type HandedOver,
  looksAtEnd,
  messageOf,
  type Operation,
  patience,
  type ResourceDefinition,
  type Snapshot,
  showSum,
  type Verdict,
  type View,
  WaitFailedError,
  WaitTimeoutError,
  waitUntil,
} from "../../lifecycle";
import { showDuration } from "../../shared/duration";
import { LeftoverSearch } from "./leftovers";
import { costsOf, describeMembers, type Member } from "./members";

/** How many lists must show nothing of the fleet: one may leave things out for a moment. */
const clearLooks = 2;

/** Machines of one kind that a fleet had, and whose ends are waited for together, with one list per tick. */
export class EndWait {
  private readonly open = new Map<string, { handed: HandedOver; watch: EndWatch }>();
  /** Those that ran on as if nothing had been said, and are told again. */
  private readonly again = new Map<string, Promise<void>>();
  private readonly failures: string[] = [];
  private readonly ids: ReadonlySet<string>;
  private readonly search: LeftoverSearch;
  /** Since when a machine that no state holds is seen to run. */
  private readonly runsSince = new Map<string, number>();
  private readonly startedAt: number;
  private looks = 0;
  private leftovers: Member[] = [];

  constructor(
    private readonly operation: Operation,
    private readonly member: ResourceDefinition,
    handed: readonly HandedOver[],
  ) {
    this.startedAt = operation.runtime.clock.now();
    this.ids = new Set(handed.map(({ id }) => id));
    this.search = new LeftoverSearch(operation, member);
    for (const one of handed) {
      const watched = {
        id: one.id,
        label: one.state["label"],
        looks: looksAtEnd,
        patientUntil: this.startedAt + patience,
      };
      this.open.set(one.id, { handed: one, watch: new EndWatch(watched) });
    }
  }

  async run(): Promise<void> {
    const { operation, member } = this;
    try {
      await waitUntil<unknown, void>({
        operation,
        list: operation.runtime.lists.of(member.kind),
        prompt: true,
        judge: (snapshot) => this.judge(snapshot),
        progress: (status, elapsed) => `${status}, ${showDuration(elapsed)}, ${showSum(costsOf(this.billing()))}`,
      });
    } catch (error) {
      if (!(error instanceof WaitTimeoutError) || this.billing().length === 0) throw error;
      throw new WaitTimeoutError(`${error.message}: ${describeMembers(this.billing())}`, { cause: error });
    }
    await Promise.all(this.again.values());
    if (this.failures.length > 0) throw new WaitFailedError(this.failures.join("; "));
  }

  private async judge(snapshot: Snapshot<unknown>): Promise<Verdict<void>> {
    const { clock, settings } = this.operation.runtime;
    const now = clock.now();
    let isSoon = true;
    for (const [id, { handed, watch }] of this.open) {
      const verdict = watch.look(snapshot, now);
      if (verdict.kind === "pending") isSoon &&= verdict.soon ?? false;
      else this.open.delete(id);
      if (verdict.kind === "done" && verdict.result !== "ended" && verdict.result !== "absent") this.endAgain(handed);
    }
    const leftovers = await this.search.findIn(snapshot, this.ids);
    this.leftovers = leftovers.map((view) => ({ name: view.member, id: view.id, status: view.status, view }));
    const stuck = leftovers.filter((view) => this.runsOn(view, now) > settings.listLagMs);
    if (stuck.length > 0) return { kind: "failed", reason: this.whyStuck(stuck) };
    // Somebody else's item that nobody can read must not keep this one for ever.
    const isConclusive = this.search.isConclusive(snapshot) || now - this.startedAt > settings.listLagMs;
    this.looks = leftovers.length === 0 && isConclusive ? this.looks + 1 : 0;
    if (this.open.size === 0 && this.looks >= clearLooks) return { kind: "done", result: undefined };
    const left = this.open.size + leftovers.length;
    const total = Math.max(this.ids.size, left);
    return { kind: "pending", status: `${total - left} of ${total} ended`, soon: isSoon && leftovers.length === 0 };
  }

  private endAgain(handed: HandedOver): void {
    const { operation, member } = this;
    const ending = endAndWait({ ...operation, noun: member.noun }, member, handed.id, handed.state);
    this.again.set(
      handed.id,
      ending.catch((error: unknown) => {
        this.failures.push(`${handed.name} (rental ${handed.id}): ${messageOf(error).replace(/\.$/, "")}`);
      }),
    );
  }

  /** For how long it has run although its end should be under way: a list may lag behind. */
  private runsOn({ id, phase }: View, now: number): number {
    if (phase === "ending") {
      this.runsSince.delete(id);
      return 0;
    }
    const since = this.runsSince.get(id) ?? now;
    this.runsSince.set(id, since);
    return now - since;
  }

  /** What has not ended yet, as far as a list has shown it. */
  private billing(): Member[] {
    const handed = [...this.open.values()].map(({ handed: { name, id }, watch: { last } }) => ({
      name,
      id,
      status: last?.status ?? "not listed",
      view: last,
    }));
    return [...handed, ...this.leftovers];
  }

  private whyStuck(stuck: readonly View[]): string {
    const { operation, member } = this;
    const named = stuck.map((view) => describe({ ...operation, noun: member.noun }, view)).join("; ");
    const ids = stuck.map(({ id }) => id).join(" ");
    return [
      `${named}: created for this fleet, still billing, and in no state.`,
      `\`gpufleet orphans --delete ${ids} --grace-minutes 0 --yes\` terminates what an interrupted destroy has left.`,
      `If it was kept on purpose, or belongs to another stack with the same name, \`pulumi state delete '${operation.urn}'\` leaves it alone`,
    ].join(" ");
  }
}
