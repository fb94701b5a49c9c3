import { type Runtime, readWhereabouts, Snapshot, showSum } from "../../../provider/lifecycle";
import { count } from "../../../provider/shared/count";
import { readLabel } from "../../../provider/shared/label";
import { nameOf } from "../../../provider/shared/urn";
import { atOtherAddress, inOtherAccount, type Misplaced, ownedIn } from "../../account";
import { commandLine } from "../../place";
import { resourcesOf, type State, titleOf } from "../../stack";
import { type Finding, fail, ok, unknown } from "./finding";
import type { ListAnswer } from "./lists";

/** What a stack's state has in one account. */
export interface HeldState {
  state: State;
  /** By which the labels of the stack's machines are known. */
  marks: readonly string[];
}

/** The state beside the configuration: where its machines are and whose, and what a refresh will see of them. */
export function whereaboutsFindings(
  { state, marks }: HeldState,
  runtime: Runtime,
  answers: readonly ListAnswer[],
): Finding[] {
  const addresses = addressesIn(state);
  const lists = new Map(
    answers.flatMap(({ definition, answer }) =>
      answer instanceof Snapshot ? [[definition.type, answer] as const] : [],
    ),
  );
  if (ownedIn(state).length === 0) return strayFindings(marks, [...lists.values()]);
  const misplaced = atOtherAddress(state, runtime.service);
  if (misplaced.length > 0) {
    return [
      misplacedFinding("address of the state", misplaced),
      unknown("account of the state", "not checked: the state is of another address"),
      unknown("refresh", "not checked: the state is of another address"),
    ];
  }
  const foreign = inOtherAccount(state, runtime, lists);
  return [
    addresses.length > 0
      ? ok("address of the state", addresses.join(", "))
      : unknown("address of the state", "not in the state, which an older version wrote: the next `up` adds it"),
    foreign.length > 0 ? misplacedFinding("account of the state", foreign) : accountFinding(state, runtime, lists),
    refreshFinding(state, lists),
  ];
}

/** Machines of this stack beside a state that has none: then it is probably not the state that they are in. */
function strayFindings(marks: readonly string[], lists: readonly Snapshot<unknown>[]): Finding[] {
  const stray = lists
    .flatMap((list) => list.views())
    .filter((view) => view.phase !== "ended" && marks.includes(readLabel(view.label)?.stack ?? ""));
  if (stray.length === 0) return [];
  return [
    fail(
      "state",
      `it has no machines, but the account has ${count(stray.length, "resource")} of this stack (${showSum(stray)})`,
      `If the stack's state is kept in another backend, set PULUMI_BACKEND_URL or run \`pulumi login\` for that one. If a run was killed, run \`${commandLine("gpufleet recover")}\`. \`${commandLine("gpufleet orphans")}\` lists them.`,
    ),
  ];
}

function addressesIn(state: State): string[] {
  const found = resourcesOf(state).map(({ outputs = {} }) => readWhereabouts(outputs)?.address);
  return [...new Set(found.filter((address) => address !== undefined))];
}

function misplacedFinding(check: string, [first, ...others]: readonly Misplaced[]): Finding {
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  const [result = "", ...advice] = (first?.reason ?? "").split(/(?<=[^.])\. /);
  return fail(check, `${first ? titleOf(first.resource) : ""}${more}: ${result}`, advice.join(". "));
}

/** A key that was rotated is fine, as long as what it lists shows that the account is the same. */
function accountFinding(state: State, { service }: Runtime, lists: ReadonlyMap<string, Snapshot<unknown>>): Finding {
  const keys = ownedIn(state).flatMap(({ resource }) => readWhereabouts(resource.outputs ?? {})?.key ?? []);
  const isSameKey = keys.every((key) => key === service.key);
  if (!isSameKey && !ownedIn(state).some(({ definition }) => lists.has(definition.type))) {
    return unknown(
      "account of the state",
      "another API key than before, and no list that could be read tells whose it is",
    );
  }
  return ok(
    "account of the state",
    isSameKey ? "the same API key as before" : "another API key than before, of the same account",
  );
}

const mostNamed = 10;

function refreshFinding(state: State, lists: ReadonlyMap<string, Snapshot<unknown>>): Finding {
  const machines = ownedIn(state);
  const checked = machines.filter(({ definition }) => lists.has(definition.type));
  const missing = checked.filter(({ definition, id }) => !lists.get(definition.type)?.has(id));
  const unchecked = machines.length - checked.length;
  const rest = unchecked > 0 ? `, and ${unchecked} cannot be checked` : "";
  const seen = `${checked.length - missing.length} of ${count(machines.length, "resource")} of the state listed${rest}`;
  if (checked.length === 0) return unknown("refresh", "not checked: no list of what the state has could be read");
  if (missing.length === 0) return ok("refresh", seen);
  const names = missing
    .slice(0, mostNamed)
    .map(({ resource, definition, id }) => `${nameOf(resource.urn)} (${definition.noun} ${id})`);
  return fail(
    "refresh",
    `${seen}; missing: ${names.join(", ")}${missing.length > mostNamed ? ", …" : ""}`,
    `If they are gone, \`${commandLine("pulumi up --refresh")}\` creates new ones. If not, check the address and the API key first.`,
  );
}
