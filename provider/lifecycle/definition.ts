import type { z } from "zod";
import type { OwnedInputs, Ownership } from "./creation/createOnce";
import type { CheckFailure, Values } from "./crud/check";
import type { DiffRules } from "./crud/diff";
import type { Work } from "./model/context";
import type { Kind, Snapshot } from "./model/sharedList";
import type { View } from "./model/view";

/** The inputs that the lifecycle itself goes by. */
export interface LifecycleInputs extends OwnedInputs {
  timeouts?: { create?: string | number | undefined; delete?: string | number | undefined } | undefined;
  waitForSsh?: boolean | undefined;
  maxCostPerHour?: number | undefined;
  expiresAt?: string | undefined;
  adoptId?: string | number | undefined;
}

/** A resource, described. `defineResource` makes check, diff, create, read, update and delete of it. */
export interface ResourceDefinition<Inputs extends LifecycleInputs, Item> {
  /** `StorageVolume` */
  type: string;
  /** "storage volume" */
  noun: string;
  /** What a program may write, with the documented defaults. */
  inputs: z.ZodObject & z.ZodType<Inputs>;
  /** How long each operation may take unless `timeouts` says otherwise. */
  timeouts: { create: string; delete: string };
  /** Whether a label is chosen where the program gives none. */
  labelled: boolean;
  /** Inputs that change in place. Everything else that goes over the wire replaces: the service has no update. */
  inPlace: readonly string[];
  sets?: DiffRules["sets"];
  isSame?: DiffRules["isSame"];
  /** What is wrong with the inputs taken together. */
  checkTogether?(inputs: Values): CheckFailure[];
  /** The list in which it is found. */
  kind: Kind<Item>;
  /** Its record, where that is not simply the one with its id. */
  find?(snapshot: Snapshot<Item>, id: string, inputs: Values): View | undefined;
  /** What it would cost per hour, where that can be known before it is made. */
  price?(work: Work<Inputs>): Promise<number | undefined>;
  create(work: Work<Inputs>): Promise<View>;
  /** How a create whose outcome is unknown is told from others. */
  ownership?: Ownership<Inputs, Item>;
  /** Carries out what changed in place on the service. */
  update?(work: Work<Inputs>, id: string, olds: Values): Promise<void>;
  /** Ends it and waits until it no longer bills. */
  end(work: Work<object>, id: string, state: Values): Promise<void>;
  /** Whether something that came with it still bills although it is gone itself. */
  leavesBehind?(work: Work<object>, id: string, state: Values): Promise<boolean>;
}
