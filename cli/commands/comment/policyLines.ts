import type { Summary } from "../../preview";
import { code, word } from "./escape";
import type { Part } from "./fit";
import type { Verdict } from "./verdicts";

const longestMessage = 400;
const ruleNames: Readonly<Record<Verdict["rule"], string>> = {
  "max-cost-per-hour": "Cost limit",
  "forbid-data-loss": "No data loss",
  "stack-budget": "Stack budget",
};

/** The results of this command's rules, the stack's budget and the policy packs. */
export function policyLines({ policies }: Summary, verdicts: readonly Verdict[]): Part {
  const own = verdicts.map(({ rule, ok, text }) => `- ${ok ? "✅" : "❌"} ${ruleNames[rule]}: ${text}`);
  const violations = policies?.violations ?? [];
  const found = violations.map(({ pack, policy, level, resource, message }) => {
    const where = resource === undefined ? "" : ` on ${code(resource)}`;
    const mark = level === "mandatory" ? "❌" : "⚠️";
    return `- ${mark} ${code(`${pack}/${policy}`)}, ${word(level)}${where}: ${code(message, longestMessage)}`;
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
