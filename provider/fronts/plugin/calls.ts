import type { Values } from "../../lifecycle";
import type { PropertyChange } from "./propertyDiff";

/** The calls of Pulumi's provider protocol, without its transport. */

export interface CheckCall {
  urn: string;
  olds: Values;
  news: Values;
  /** What random choices are to follow from; empty where the engine gives none. */
  randomSeed: Uint8Array;
  /** Whether the value of this property is a secret: then no error may show it. */
  isSecret?(property: string): boolean;
}

export interface CheckAnswer {
  inputs: Values;
  failures: { property: string; reason: string }[];
}

export interface DiffCall {
  id: string;
  urn: string;
  /** The outputs in the state. */
  olds: Values;
  /** Undefined where the engine is too old to send them. */
  oldInputs: Values | undefined;
  news: Values;
}

export interface DiffAnswer {
  changes: boolean;
  /** Path → what becomes of it. */
  detailed: Map<string, DetailedChange>;
  replaces: string[];
  updates: string[];
}

export interface DetailedChange {
  change: PropertyChange;
  replaces: boolean;
  /** Whether it is a difference between inputs, and not one of the machine itself. */
  isInput: boolean;
}

export interface CreateCall {
  urn: string;
  properties: Values;
  /** Seconds (`customTimeouts`); 0 where none are given. */
  timeout: number;
  preview: boolean;
}

export interface CreateAnswer {
  id: string;
  properties: Values;
  refreshBeforeUpdate: boolean;
}

export interface ReadCall {
  id: string;
  urn: string;
  properties: Values;
  /** Undefined in an import. */
  inputs: Values | undefined;
}

/** Undefined where it is gone. */
export interface ReadAnswer {
  id: string;
  properties: Values;
  inputs: Values;
  refreshBeforeUpdate: boolean;
}

export interface UpdateCall extends DiffCall {
  timeout: number;
  preview: boolean;
}

export interface UpdateAnswer {
  properties: Values;
  refreshBeforeUpdate: boolean;
}

export interface DeleteCall {
  id: string;
  urn: string;
  properties: Values;
  /** Empty where the engine is too old to send them. */
  inputs: Values;
  timeout: number;
}

/** The thing exists, and is not as it should be: what the engine saves as a resource with init errors. */
export class InitFailed extends Error {
  override readonly name = "InitFailed";

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Values,
    readonly refreshBeforeUpdate: boolean,
  ) {
    super(message);
  }
}
