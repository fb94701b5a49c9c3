import { type Argument, InvalidArgumentError, type Option } from "commander";

/** Lets an option or an argument have one of these values; another one is an error that says which was probably meant. */
export function withChoices<Taker extends Option | Argument>(taker: Taker, values: readonly string[]): Taker {
  taker.choices(values);
  taker.argParser((text: string) => {
    if (values.includes(text)) return text;
    // Only then: help is to be there at once.
    const { nearestValue }: typeof import("../../provider/shared/spelling") = require("../../provider/shared/spelling");
    const guess = nearestValue(text, values);
    const advice = guess === undefined ? "" : ` Did you mean ${guess}?`;
    throw new InvalidArgumentError(`Allowed choices are ${values.join(", ")}.${advice}`);
  });
  return taker;
}
