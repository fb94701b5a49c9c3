import type { z } from "zod";
import type { CallOptions, Client, EndResult } from "../client";
import type { Marks } from "../shared/label";
import type {
  Besides,
  CheckFailure,
  FleetLimit,
  Kind,
  LifecycleInputs,
  Runtime,
  StackAtHand,
  Values,
  View,
} from "./model";

/** Another resource, or something that no resource is about, that a resource mentions by its id. */
export interface Mention {
  type: string;
  noun: string;
  kind: Kind<unknown>;
  id: string;
}

/** One operation of the engine on one resource. */
export interface Operation {
  runtime: Runtime;
  /** `BareMetalRental` */
  type: string;
  /** "bare-metal rental" */
  noun: string;
  /** The name that the program gave. */
  name: string;
  urn: string;
  /** The stack that it is in. */
  stack: StackAtHand;
  marks: Marks;
  /** When the operation must have ended, by the clock. */
  deadline: number;
  /** Whether it ends what it has just made itself: nobody has anything on that. */
  isUndoing?: boolean;
  /** Whether its entry leaves the state when this is done. */
  isDelete?: boolean;
  /** Whether what runs is ended for good, with its data: a delete, or the end of what has expired. */
  endsForGood?: boolean;
  /** Whether what is being ended is not what the state holds, but its twin. */
  isTwin?: boolean;
}

/** The same with the resource's definition and inputs. */
export interface OperationContext<Inputs = unknown> extends Operation {
  definition: ResourceDefinition;
  inputs: Inputs;
  /** The limit of the fleet that it is a member of. */
  fleet?: FleetLimit | undefined;
  /** Whether a fleet declares it: no program writes its inputs. */
  isMember?: boolean;
}

/** A resource, described. `defineResource` makes check, diff, create, read, update and delete of it. */
export interface ResourceDefinition<Inputs extends LifecycleInputs = LifecycleInputs, Item = unknown> {
  /** `StorageVolume` */
  type: string;
  /** "storage volume" */
  noun: string;
  /** What a program may write, with the documented defaults. A label in it is chosen where the program gives none. */
  inputs: z.ZodObject & z.ZodType<Inputs>;
  /** How long each operation may take unless the input `timeouts` says otherwise. */
  timeouts: { create: string; delete: string };
  /** Inputs that change in place. Everything else that goes over the wire replaces: the service has no update. */
  inPlace?: readonly string[];
  /** Lists whose order means nothing. */
  sets?: readonly string[];
  /** Where equality is not the question: true when the difference is no change. */
  isSame?(key: string, olds: Values, news: Values, isExpired: IsExpired): boolean;
  /** What is wrong with the inputs taken together. */
  checkTogether?(inputs: Values): CheckFailure[];
  /** Notes what the program says now and the delete of a replaced one must know: the state that it gets says what was before. */
  heed?(runtime: Runtime, urn: string, inputs: Values): void;
  /** Notes the same from the entry that has replaced it, in a run that has no program or another one, before it is ended. */
  recall?(context: OperationContext, id: string): Promise<void>;
  /** The list in which it is found. */
  kind: Kind<Item>;
  /** The id of its record in that list, where that is not its own. */
  recordId?(inputs: Values): string;
  /** The inputs that its id alone tells, where it is more than the id of a record. */
  fromId?(id: string): Values;
  /** How it sees its record, where it is not the record itself. */
  see?(record: View, id: string, inputs: Values, runtime: Runtime): View;
  /** What its state is to keep hidden besides, from what lists show now. Whatever keeps that from being known is no error. */
  remember?(context: OperationContext, id: string, state: Values): Promise<Values>;
  /** What it would cost per hour, where that can be known before it is made. */
  price?(context: OperationContext<Inputs>): Promise<number | undefined>;
  /** What its create names by an id: a volume, or rentals. */
  mentions?(inputs: Values): Mention[];
  /** What else it rents along with itself, as the inputs of that. */
  alsoRents?(inputs: Values): Values | undefined;
  /** What that would cost per hour, where others show it. */
  priceBesides?(runtime: Runtime, rented: Values): Promise<number | undefined>;
  /** What it can cost at most by its own inputs, where no price is known yet: for previews. */
  mostPerHour?(inputs: Values): number | undefined;
  /** The one request that makes it. Missing where it makes nothing that bills. */
  post?(client: Client, inputs: Inputs, call: CallOptions, runtime: Runtime): Promise<View>;
  /** Makes it, where that takes more than sending `post` once. */
  create?(context: OperationContext<Inputs>): Promise<View>;
  /** Takes over the one with this id, where that takes more than finding it in the list. */
  adopt?(context: OperationContext<Inputs>, id: string): Promise<View>;
  /** The same with what comes along where it is adopted or imported. Whatever keeps that from being known is no error. */
  takeAlong?(context: OperationContext<object>, view: View): Promise<View>;
  /** What stands in for a label where there is none, to name a create by whose reply was lost. */
  fingerprint?(inputs: Inputs): string;
  /** The record of one that was asked for like this, with what only other lists say of it: what it costs, where it is. */
  complete?(runtime: Runtime, view: View, asked: Values): Promise<View>;
  /** Makes sure that it is attached as asked, once it exists: in a create, and in an update after `update`. */
  ensureAttached?(context: OperationContext<Inputs>, id: string): Promise<void>;
  /** What may be the reason where it is not ready in time. */
  whyNotReady?(view: View): string | undefined;
  /** Carries out on the service what changed in place. */
  update?(context: OperationContext<Inputs>, id: string, olds: Values): Promise<void>;
  /** The one request that ends it. */
  terminate?(client: Client, id: string, call: CallOptions): Promise<EndResult>;
  /** What else bills for it by its state. */
  besides?(state: Values): Besides | undefined;
  /** Whether data is lost with it. Whoever kills a command may want to keep that: it is deleted only while the engine is there. */
  holdsData?: boolean;
  /** Ends it and waits until it no longer bills, where that takes more than `terminate`. */
  end?(context: OperationContext, id: string, state: Values): Promise<void>;
  /** What is lost for good when it is deleted, and how to keep it; undefined where nothing is. */
  contents?(runtime: Runtime, urn: string, state: Values): Contents | undefined;
  /** Says what came with it and nobody has any more, where another resource has taken it over and its entry leaves the state. */
  sayLeftBehind?(context: OperationContext, id: string, state: Values): Promise<void>;
  /** Whether something that came with it still bills although it is gone itself. */
  leavesBehind?(context: OperationContext, id: string, state: Values): Promise<boolean>;
}

/** What somebody may have stored, in words. */
export interface Contents {
  /** "its 1,024 GB of data" */
  what: string;
  /** A sentence without its full stop. */
  keep: string;
}

/** Whether something has expired and ended, as the state has it. */
export type IsExpired = (type: string, id: string) => boolean;

/** What can be found in a list and ended by a request. */
export type Endable = Pick<ResourceDefinition, "type" | "kind" | "terminate" | "holdsData" | "recordId" | "timeouts">;
