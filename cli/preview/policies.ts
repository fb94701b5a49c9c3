import { z } from "zod";
import { nameOf } from "../../provider/shared/urn";
import { compare } from "../money";

/** What the policy packs of a preview said. It stands in the engine's event log only: the preview itself leaves it out. */
export interface Policies {
  /** Every pack that was run. */
  packs: { name: string; version: string | undefined }[];
  violations: Violation[];
}

export interface Violation {
  pack: string;
  policy: string;
  /** `advisory`, `mandatory`, … as the engine says it. */
  level: string;
  /** The name of the resource; undefined where it is about the whole stack. */
  resource: string | undefined;
  message: string;
}

const pack = z.looseObject({ policyPackName: z.string(), policyPackVersion: z.string().optional() });

const event = z.looseObject({
  policyEvent: z
    .looseObject({
      resourceUrn: z.string().optional(),
      message: z.string(),
      policyName: z.string(),
      policyPackName: z.string(),
      enforcementLevel: z.string(),
    })
    .optional(),
  policyAnalyzeSummaryEvent: pack.optional(),
  policyAnalyzeStackSummaryEvent: pack.optional(),
});

/** Reads an event log: one JSON object per line. */
export function readPolicies(text: string, source: string): Policies {
  const packs = new Map<string, string | undefined>();
  const violations: Violation[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const { policyEvent, ...ran } = parseEvent(line, `${source}, line ${index + 1}`);
    const analyzed = ran.policyAnalyzeSummaryEvent ?? ran.policyAnalyzeStackSummaryEvent;
    if (analyzed) packs.set(analyzed.policyPackName, analyzed.policyPackVersion || undefined);
    if (!policyEvent) continue;
    const { policyPackName: pack, policyName: policy, enforcementLevel: level, resourceUrn, message } = policyEvent;
    if (!packs.has(pack)) packs.set(pack, undefined);
    violations.push({ pack, policy, level, resource: resourceUrn ? nameOf(resourceUrn) : undefined, message });
  }
  return {
    packs: [...packs].map(([name, version]) => ({ name, version })).sort((one, other) => compare(one.name, other.name)),
    violations: violations.sort((one, other) => compare(orderOf(one), orderOf(other))),
  };
}

/** What stops the update first. */
function orderOf({ level, pack, policy, resource = "", message }: Violation): string {
  return [level === "mandatory" ? 0 : 1, pack, policy, resource, message].join("\n");
}

function parseEvent(line: string, where: string): z.output<typeof event> {
  try {
    return event.parse(JSON.parse(line));
  } catch (error) {
    throw new Error(`${where} is not an event of \`pulumi preview --event-log\``, { cause: error });
  }
}
