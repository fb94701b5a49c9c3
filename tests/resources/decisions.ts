import { originKey, type Values } from "../../provider/lifecycle";
import { getHandler } from "../lifecycle/fakeEngine";
import { createRig } from "../lifecycle/rig";

export type Decision = "replace" | "update" | "nothing";

/** A change of one input, and what comes of it. */
export interface Change {
  /** What the program has besides the base, before and after. */
  from?: Values;
  to: Values;
  becomes: Decision;
}

/** A resource before the engine: checked and compared, without any service. */
export function subjectOf(type: string) {
  const handler = getHandler(type);
  const provider = createRig().startProvider();
  const origin = { [originKey]: `organization/urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:${type}::thing` };

  const check = (given: Values, olds: Values = {}) => handler.check(provider, olds, { ...given, ...origin });
  const accept = (given: Values, olds: Values = {}): Values => {
    const { inputs, failures } = check(given, olds);
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("; "));
    return inputs;
  };
  return {
    handler,
    /** What a program may write. */
    properties: Object.keys(handler.inputs.shape),
    check,
    accept,
    reasons: (given: Values) => check(given).failures.map(({ reason }) => reason),
    /** What a program that was `before` and is now `after` comes to, for a resource whose state has these outputs besides. */
    decide: (before: Values, after: Values, outputs: Values, id = "1001"): Decision & string => {
      const inputs = accept(before);
      const { changes, replaces } = handler.diff(provider, id, { ...inputs, ...outputs }, accept(after, inputs));
      return replaces.length > 0 ? "replace" : changes ? "update" : "nothing";
    },
    diff: (olds: Values, news: Values, id = "1001") => handler.diff(provider, id, olds, news),
  };
}
