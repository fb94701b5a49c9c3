import { z } from "zod";
import type { ResourceDefinition } from "../../lifecycle";
import { bareMetalRental } from "../bareMetalRental";
import { vmRental } from "../vmRental";

/** What the members of a fleet are. */
export const memberKind = z.enum(["bare-metal", "vm"]);
export type MemberKind = z.output<typeof memberKind>;

export const memberDefinitions: Record<MemberKind, ResourceDefinition> = {
  "bare-metal": bareMetalRental.definition,
  vm: vmRental.definition,
};
