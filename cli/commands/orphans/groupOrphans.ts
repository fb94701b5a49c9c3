import type { Holding, Situation } from "../../account";
import { compare } from "../../money";
import { pendingOf } from "../../stack";

/** What the account has and this stack's state has not, by who created it. */
export interface Orphans {
  /** `project/stack` */
  name: string;
  /** Created by this stack. */
  own: Orphan[];
  /** Created by another stack: its own `gpufleet orphans` tells whether it is an orphan. */
  otherStacks: Orphan[];
  /** Created by hand or by another program; and marketplace instances, which have no label to tell by. */
  others: Orphan[];
  notListed: string[];
}

export interface Orphan extends Holding {
  /** Whether an interrupted run of this stack was creating it: `gpufleet recover` brings it into the state. */
  interrupted: boolean;
}

export function groupOrphans({ name, mark, others, notListed, state }: Situation): Orphans {
  const interrupted = new Set(pendingOf(state).map(({ resource }) => resource.inputs?.["label"]));
  const orphans = others
    .map((holding) => ({ ...holding, interrupted: holding.label !== undefined && interrupted.has(holding.label) }))
    .sort((one, other) => compare(one.createdAt ?? "", other.createdAt ?? "") || compare(one.id, other.id));
  return {
    name,
    own: orphans.filter(({ marks }) => marks?.stack === mark),
    otherStacks: orphans.filter(({ marks }) => marks !== undefined && marks.stack !== mark),
    others: orphans.filter(({ marks }) => marks === undefined),
    notListed,
  };
}
