import type { Holding, Situation } from "../../account";
import { compare } from "../../money";
import { pendingOf } from "../../stack";

/** What the account has and this stack's state does not know of, by whose it is. */
export interface Orphans {
  /** `project/stack` */
  name: string;
  /** Bears this stack's mark. */
  own: Orphan[];
  /** Bears the mark of another stack: its own `gpufleet orphans` tells whether it is one. */
  foreign: Orphan[];
  /** Bears none: made by hand or by another program, and marketplace instances, which have no label. */
  unmarked: Orphan[];
  notListed: string[];
}

export interface Orphan extends Holding {
  /** Whether a run of this stack began to make it and never came back: `gpufleet recover` settles that. */
  interrupted: boolean;
}

export function sortOrphans({ name, mark, others, notListed, state }: Situation): Orphans {
  const interrupted = new Set(pendingOf(state).map(({ resource }) => resource.inputs?.["label"]));
  const orphans = others
    .map((holding) => ({ ...holding, interrupted: holding.label !== undefined && interrupted.has(holding.label) }))
    .sort((one, other) => compare(one.createdAt ?? "", other.createdAt ?? "") || compare(one.id, other.id));
  return {
    name,
    own: orphans.filter(({ marks }) => marks?.stack === mark),
    foreign: orphans.filter(({ marks }) => marks !== undefined && marks.stack !== mark),
    unmarked: orphans.filter(({ marks }) => marks === undefined),
    notListed,
  };
}
