import { groupBy, listNames, type Summary } from "../../preview";
import { code, inMarkdown, word } from "./escape";
import type { Part } from "./fit";
import type { Verdict } from "./verdicts";

const longestMessage = 400;
const mostNamed = 5;
const ruleNames: Readonly<Record<Verdict["rule"], string>> = {
  "max-cost-per-hour": "Cost limit",
  "forbid-data-loss": "No data loss",
  "stack-budget": "Stack budget",
};

/** The results of this command's rules, the stack's budget and the policy packs. */
export function policyLines({ policies }: Summary, verdicts: readonly Verdict[]): Part {
  const own = verdicts.map((verdict) => `- ${markOf(verdict)} ${ruleNames[verdict.rule]}: ${verdict.text}`);
  const violations = policies?.violations ?? [];
  const found = [
    ...groupBy(violations, ({ pack, policy, level, message }) =>
      JSON.stringify([pack, policy, level, message]),
    ).values(),
  ].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { pack, policy, level, message } = first;
    const named = group.flatMap(({ resource }) =>
      resource === undefined ? [] : [{ name: resource, fleet: undefined }],
    );
    const where = named.length > 0 ? ` on ${listNames(named, { voice: inMarkdown, most: mostNamed })}` : "";
    const mark = level === "mandatory" ? "❌" : "⚠️";
    return [`- ${mark} ${code(`${pack}/${policy}`)}, ${word(level)}${where}: ${code(message, longestMessage)}`];
  });
  const clear = (policies?.packs ?? [])
    .filter(({ name }) => !violations.some(({ pack }) => pack === name))
    .map(({ name, version }) => `- ✅ ${code(version ? `${name} ${version}` : name)}: passed`);
  if (own.length + found.length + clear.length === 0) return { lines: [] };
  return {
    lines: ["**Policies**", "", ...own],
    items: [...found, ...clear],
    more: (count) => `- … and ${count} more`,
    worth: 2,
  };
}

/** A rule that is kept only as far as prices are known is no clear pass. */
function markOf({ ok, unknownPrices }: Verdict): string {
  if (!ok) return "❌";
  return unknownPrices > 0 ? "⚠️" : "✅";
}
