import type { Disturbances } from "../simulation/disturbances";
import type { Session } from "../simulation/session";

/** A step as it is played: the resource that it is about, by number and name, and what goes wrong meanwhile. */
export interface PlayedStep {
  index: number;
  name: string;
  refresh: boolean;
  disturbances: Disturbances;
}

type StepKind = (session: Session, step: PlayedStep) => Promise<unknown>;

/** Another kind of step is an entry here; random schedules then take it. */
export const stepKinds = {
  up: (session, { disturbances, refresh }) => session.up(disturbances, { refresh }),

  /** The inputs of a resource change so that it must be replaced, then `up`. */
  replace: (session, { index, disturbances, refresh }) => {
    session.change(index);
    return session.up(disturbances, { refresh, name: "replace" });
  },

  /** `up --replace`. */
  forceReplace: (session, { name, disturbances, refresh }) =>
    session.up(disturbances, { refresh, replace: [name], name: "replace" }),

  refresh: (session, { disturbances }) => session.refresh(disturbances),

  destroy: (session, { disturbances }) => session.destroy(disturbances),

  /** Somebody else ends a resource. */
  endOutside: (session, { name }) => session.endOutside(name),

  /** Time passes: less than lists may lag, or more. */
  wait: (session, { index }) => session.wait([5, 40, 130][index % 3] ?? 5),
} satisfies Record<string, StepKind>;

export type StepKindName = keyof typeof stepKinds;
export const stepKindNames = Object.keys(stepKinds).filter((name): name is StepKindName => name in stepKinds);
