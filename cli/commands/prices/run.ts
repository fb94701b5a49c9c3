import type { Prices } from "../../../provider/shared/prices";
import { readSituations } from "../../account";
import { placeOf, type StackFlags } from "../../options";
import { complain, paintFor, print } from "../../terminal";
import { bookNotes, bookOf } from "./book";
import { gatherPrices } from "./gather";
import { pricesJson, showPrices } from "./show";

export interface Flags extends StackFlags {
  json?: boolean;
  book?: boolean;
  prices?: Prices;
}

export async function run(flags: Flags): Promise<void> {
  const read = await readSituations(placeOf(flags));
  try {
    const found = await gatherPrices(read, flags.prices);
    if (flags.book) {
      const book = bookOf(found);
      print(book.text);
      for (const note of bookNotes(found, book)) complain(note);
    } else {
      print(flags.json ? pricesJson(found) : showPrices(found, paintFor(process.stdout)));
    }
  } finally {
    await read.close();
  }
}
