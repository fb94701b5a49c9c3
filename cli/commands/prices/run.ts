import type { Prices } from "../../../provider/shared/prices";
import { readSituations } from "../../account";
import { placeOf, type StackFlags } from "../../options";
import { paintFor } from "../../terminal";
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
      console.log(book.text);
      for (const note of bookNotes(found, book)) console.error(note);
    } else {
      console.log(flags.json ? pricesJson(found) : showPrices(found, paintFor(process.stdout)));
    }
  } finally {
    await read.close();
  }
}
