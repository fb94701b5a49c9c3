import {
  describe,
  EndWatch,
  endAndWait,
  fewestLooks,
  type HandedOver,
  looksAtEnd,
  type Operation,
  patience,
  type ResourceDefinition,
  type Snapshot,
  showSum,
  UnprovenAbsenceError,
  type Verdict,
  type View,
  WaitFailedError,
  WaitTimeoutError,
  waitUntil,
} from "../../lifecycle";
import { byNumber } from "../../shared/byNumber";
import { showDuration } from "../../shared/duration";
import { messageOf } from "../../shared/messageOf";
import { inQuotes } from "../../shared/shell";
import { LeftoverSearch } from "./leftovers";
import { costsOf, describeMembers, type Member } from "./members";

/** How many lists must show nothing of the fleet: one may leave things out for a moment. Each member was watched by itself. */
const clearLooks = 2;
const goOn = "Run `pulumi destroy` again to continue waiting";

/** Machines of one kind that a fleet had, and whose ends are waited for together, with one list per tick. */
export class EndWait {
  private readonly open = new Map<string, { handed: HandedOver; watch: EndWatch }>();
  /** Those that ran on as if nothing had been said, and are told again; until they have ended. */
  private readonly again = new Map<string, { member: Member; ending: Promise<void> }>();
  private readonly failures: string[] = [];
  private readonly ids: ReadonlySet<string>;
  private readonly search: LeftoverSearch;
  /** Since when a machine that no state holds is seen to run. */
  private readonly runsSince = new Map<string, number>();
  private readonly startedAt: number;
  private looks = 0;
  private clearSince: number | undefined;
  private leftovers: Member[] = [];
  /** Those of them that an error has named already. */
  private readonly told = new Set<string>();

  constructor(
    private readonly operation: Operation,
    private readonly member: ResourceDefinition,
    handed: readonly HandedOver[],
    /** Whether an earlier run may have told members to end of which nothing else tells. */
    private readonly mayHaveLost: boolean,
  ) {
    this.startedAt = operation.runtime.clock.now();
    this.ids = new Set(handed.map(({ id }) => id));
    this.search = new LeftoverSearch(operation, member);
    for (const one of handed) {
      const watched = {
        id: one.id,
        state: one.state,
        noun: member.noun,
        looks: looksAtEnd,
        isEnd: () => true,
        patientUntil: this.startedAt + patience,
        runtime: operation.runtime,
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
      throw this.withWhatBills(error);
    }
    await Promise.all([...this.again.values()].map(({ ending }) => ending));
    if (this.failures.length > 0) throw new WaitFailedError(this.failures.join("; "));
  }

  /** Whatever ends the wait: no other entry of the state has them any more, so nothing else would name them. */
  private withWhatBills(error: unknown): unknown {
    const billing = this.billing().filter(({ id }) => !this.told.has(id));
    const reason = messageOf(error).replace(/\.$/, "");
    // More time makes nothing readable.
    if (error instanceof UnprovenAbsenceError && billing.length > 0) {
      return new WaitTimeoutError(`${describeMembers(billing)}: ${reason}.`, { cause: error });
    }
    if (error instanceof WaitTimeoutError) {
      const named = billing.length > 0 ? `: ${describeMembers(billing)}` : "";
      return new WaitTimeoutError(`${reason}${named}. ${goOn}, or raise timeouts.delete.`, { cause: error });
    }
    if (billing.length === 0) return error;
    const left = `${billing.length} of the fleet may still bill, ${showSum(costsOf(billing))}: ${describeMembers(billing)}`;
    return new WaitFailedError(`${reason}. ${left}. ${goOn}.`, { cause: error });
  }

  private async judge(snapshot: Snapshot<unknown>): Promise<Verdict<void>> {
    const { clock, settings } = this.operation.runtime;
    const now = clock.now();
    let isSoon = true;
    for (const [id, { handed, watch }] of this.open) {
      const verdict = watch.look(snapshot, now);
      if (verdict.kind === "pending") isSoon &&= verdict.soon ?? false;
      else this.open.delete(id);
      if (verdict.kind === "done" && verdict.result !== "ended" && verdict.result !== "absent")
        this.endAgain(handed, watch);
    }
    const leftovers = await this.search.findIn(snapshot, this.ids);
    this.leftovers = leftovers.map((view) => ({ name: view.member, id: view.id, status: view.status, view }));
    const stuck = leftovers.filter((view) => this.runsOn(view, now) > settings.listLagMs);
    if (stuck.length > 0) return { kind: "failed", reason: this.whyStuck(stuck) };
    // Somebody else's item that nobody can read must not keep this one for ever.
    const isConclusive = this.search.isConclusive(snapshot) || now - this.startedAt > settings.listLagMs;
    this.noteLook(leftovers.length === 0 && isConclusive, now);
    const left = this.open.size + leftovers.length;
    if (left === 0 && this.looks >= clearLooks) {
      if (this.isClear(now)) return { kind: "done", result: undefined };
      return { kind: "pending", status: "looking for what an earlier run may have left" };
    }
    const total = Math.max(this.ids.size, left);
    return { kind: "pending", status: `${total - left} of ${total} ended`, soon: isSoon && leftovers.length === 0 };
  }

  private noteLook(isClear: boolean, now: number): void {
    this.looks = isClear ? this.looks + 1 : 0;
    this.clearSince = isClear ? (this.clearSince ?? now) : undefined;
  }

  /**
   * Whether enough lists have shown nothing of the fleet. What an earlier run has told to end is proven to be absent like anything else; where
   * lists have shown other members, they lag behind none.
   */
  private isClear(now: number): boolean {
    const { confirmGone, listLagMs } = this.operation.runtime.settings;
    if (!this.mayHaveLost || confirmGone) return true;
    const lag = this.ids.size > 0 ? 0 : listLagMs;
    return this.looks >= fewestLooks && now - (this.clearSince ?? now) >= lag;
  }

  private endAgain(handed: HandedOver, watch: EndWatch): void {
    const { operation, member } = this;
    const end = async () => {
      try {
        await endAndWait({ ...operation, noun: member.noun }, member, handed.id, handed.state);
        this.again.delete(handed.id);
      } catch (error) {
        this.failures.push(`${handed.name} (rental ${handed.id}): ${messageOf(error).replace(/\.$/, "")}`);
      }
    };
    this.again.set(handed.id, { member: memberOf(handed, watch), ending: end() });
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
    const open = [...this.open.values()].map(({ handed, watch }) => memberOf(handed, watch));
    const again = [...this.again.values()].map(({ member }) => member);
    return [...open, ...again, ...this.leftovers].sort((one, other) => byNumber(one.name, other.name));
  }

  private whyStuck(stuck: readonly View[]): string {
    const { operation, member } = this;
    const named = stuck.map((view) => describe({ ...operation, noun: member.noun }, view)).join("; ");
    for (const { id } of stuck) this.told.add(id);
    const ids = stuck.map(({ id }) => id).join(" ");
    return [
      `${named}: created for this fleet, still billing, and in no state.`,
      `\`gpufleet orphans --delete ${ids} --grace-minutes 0 --yes\` terminates what an interrupted destroy has left.`,
      `If it was kept on purpose, or belongs to another stack with the same name, \`pulumi state delete ${inQuotes(operation.urn)}\` leaves it alone`,
    ].join(" ");
  }
}

function memberOf({ name, id, view }: HandedOver, { last = view }: EndWatch): Member {
  return { name, id, status: last?.status ?? "not listed", view: last };
}
