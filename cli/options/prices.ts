import { InvalidArgumentError } from "commander";
import { messageOf } from "../../provider/shared/messageOf";
import type { Prices } from "../../provider/shared/prices";

/** Reads an option's value as a price book. */
export function priceBook(text: string): Prices {
  // Only now: help must not wait for it.
  const { readPrices }: typeof import("../../provider/shared/prices") = require("../../provider/shared/prices");
  try {
    return readPrices(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new InvalidArgumentError(`It ${reason}${/[.?]$/.test(reason) ? "" : "."}`);
  }
}
