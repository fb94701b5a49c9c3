import { type Disturbances, undisturbed } from "../simulation/disturbances";
import { elsewhereNames } from "../simulation/elsewhere";
import { gateOf } from "../simulation/resourceKinds";
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
    session.up(disturbances, { refresh, replace: [name, gateOf(name)], name: "replace" }),

  /** An input changes in place (`keepVolume`, a fleet's limit, an expiry), then `up`. */
  update: (session, { index, disturbances, refresh }) => {
    session.toggle(index);
    return session.up(disturbances, { refresh, name: "update" });
  },

  /** Something is to change in place and something else to be replaced, at once. */
  updateAndReplace: (session, { index, disturbances, refresh }) => {
    session.toggle(index);
    session.change(index);
    return session.up(disturbances, { refresh, name: "replace" });
  },

  /** Another name, and the machine is taken along by `adoptId`; then `up`. */
  rename: (session, { index, disturbances, refresh }) => {
    session.rename(index);
    return session.up(disturbances, { refresh, name: "rename" });
  },

  /** Another resource is to adopt the machine as well: that must be refused. */
  adoptTwice: (session, { index, disturbances }) => session.adoptTwice(index, disturbances),

  /** Another name by an alias, then `up`. */
  renameWithAlias: (session, { index, disturbances, refresh }) => {
    session.renameWithAlias(index);
    return session.up(disturbances, { refresh, name: "rename" });
  },

  /** `pulumi stack rename`, then `up`. */
  renameStack: (session, { disturbances, refresh }) => {
    session.renameStack();
    return session.up(disturbances, { refresh, name: "rename" });
  },

  /** The gate of a fleet is new while its members run, and their limit may be another. */
  newGate: (session, { index, disturbances, refresh }) => {
    session.loseGate(index);
    session.toggle(index);
    return session.up(disturbances, { refresh, name: "update" });
  },

  refresh: (session, { disturbances }) => session.refresh(disturbances),

  /** Some are to expire; after their time `gpufleet expired --destroy` runs. */
  expire: async (session, { index, disturbances }) => {
    for (const one of [index, index + 1]) session.letExpire(one);
    await session.up(undisturbed, { name: "update" });
    return session.endExpired(disturbances);
  },

  destroy: (session, { disturbances, refresh }) => session.destroy(disturbances, { refresh }),

  /** `destroy --target` of a member of a fleet, with what depends on it. */
  destroyMember: (session, { index, disturbances }) => session.destroyMember(index, disturbances),

  /** Somebody else ends a resource. */
  endOutside: (session, { name }) => session.outside.end(name),

  /** Somebody else detaches a volume. */
  detachOutside: (session, { name }) => session.outside.detach(name),

  /** The ids of a volume and a rental of this stack are those of others by now, and mostly attached. */
  giveAway: (session, { index, refresh }) =>
    session.outside.givePairAway({ withRental: refresh, attaches: index % 3 !== 0 }),

  /** The id of a resource of this stack is that of somebody else's by now. */
  giveIdAway: (session, { index, refresh }) => session.outside.giveIdAway(index, refresh),

  /** Somebody else rents what looks like a resource of this stack. */
  neighbourRents: (session, { index }) => session.outside.rentLookalikes(index),

  /** `up`, with or without a refresh, `destroy` or `refresh` with the key of another account, or at another address. */
  elsewhere: (session, { index, refresh }) => {
    const turn = index + session.commands.length;
    const place = elsewhereNames[turn % elsewhereNames.length] ?? "another address";
    if (refresh) return session.runElsewhere(place, "destroy");
    const command = (["up", "refresh", "rash up"] as const)[session.commands.length % 3];
    if (command !== "rash up") return session.runElsewhere(place, command ?? "up");
    // There is something to rent.
    session.change(index);
    return session.runElsewhere(place, "up", { refresh: false });
  },

  /** `up` while all bare-metal rentals are missing from every list. */
  vanish: (session) => session.upWithoutList(),

  /** `refresh` while no list can be trusted, and each shows it. */
  blindRefresh: (session, { index }) => session.refreshBlindly(index),

  /** `up` with such lists, or with some that lack things for a while, while something else goes wrong as well. */
  blindUp: (session, { index, refresh, disturbances }) => session.upBlindly(index, disturbances, { refresh }),

  /** Time passes: less than lists may lag, or more. */
  wait: (session, { index }) => session.wait([5, 40, 130][index % 3] ?? 5),
} satisfies Record<string, StepKind>;

export type StepKindName = keyof typeof stepKinds;
export const stepKindNames = Object.keys(stepKinds).filter((name): name is StepKindName => name in stepKinds);
