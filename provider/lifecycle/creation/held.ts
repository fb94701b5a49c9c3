import { isSameUrn } from "../../shared/typeToken";
import type { Operation } from "../definition";
import { holdersElsewhere, withTheirsNow } from "../holders";
import { namesOf, RefusedError, type View } from "../model";
import { describe } from "./ownership";

/**
 * One machine has one entry in one state. Refuses to take what another entry holds, be it of this state or of another stack of the
 * backend. Entries of this state for which `leaves` is true give it up in this very run. Not those of another provider: that one has a
 * process of its own, which does not know that the machine was taken over.
 */
export async function refuseHeld(
  operation: Operation,
  view: View,
  { verb, leaves, reason = "" }: { verb: "adopted" | "imported"; leaves: boolean; reason?: string },
): Promise<void> {
  const names = namesOf(view);
  const entries = await withTheirsNow(operation, (await operation.runtime.state.entries(operation.stack)) ?? []);
  const holders = entries.filter(({ type, id }) => type === operation.type && names.includes(id));
  const apart = holders.find(({ isAnothers, urn }) => isAnothers && !isSameUrn(urn, operation.urn));
  const here = holders.find(({ urn }) => urn !== operation.urn);
  const holder = apart ?? (leaves ? undefined : here) ?? (await holdersElsewhere(operation))(view);
  if (!holder) return;
  const [how, released] =
    holder.type === operation.type
      ? ["", "it without touching the machine"]
      : [", with which it was created", "both without touching either"];
  throw new RefusedError(
    `${describe(operation, view)} cannot be ${verb}: it is already managed, by ${holder.urn}${holder === apart ? " with another provider" : ""}${how}.${holder === here ? reason : ""} \`pulumi state delete\` there releases ${released}.`,
  );
}
