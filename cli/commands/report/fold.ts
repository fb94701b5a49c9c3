import { type Html, html } from "./html";

/** So many rows are shown at once. */
const mostShown = 20;
/** Fewer than this are not worth a click. */
const fewestFolded = 5;

/** A table of all rows; the rest of a long one is folded, and opens with a click. */
export function folded<Row>(rows: readonly Row[], table: (rows: readonly Row[]) => Html): Html {
  if (rows.length < mostShown + fewestFolded) return table(rows);
  const rest = rows.slice(mostShown);
  return html`${table(rows.slice(0, mostShown))}
<details><summary>${rest.length.toLocaleString("en-US")} more</summary>${table(rest)}</details>`;
}
