import { showUsd } from "../../provider/shared/money";

/** For a headline: `$200`, `$79.84`, `$58,283`: cents only where they matter. */
export function showBriefly(usd: number): string {
  const rounded = Math.abs(usd) >= 1000 ? Math.round(usd) : usd;
  return showUsd(rounded).replace(/\.00$/, "");
}

/** With its sign: `+$79.84`, `−$200`. */
export function showSignedBriefly(usd: number): string {
  return usd > 0 ? `+${showBriefly(usd)}` : showBriefly(usd);
}

/** `$200.01/h of $200/h`: two amounts with as many digits as tell them apart. */
export function showBeside(usd: number, other: number): [string, string] {
  const exactly = (amount: number) => `$${amount.toLocaleString("en-US", { maximumFractionDigits: 6 })}`;
  const shown = [showBriefly, showUsd].find((show) => show(usd) !== show(other)) ?? exactly;
  return [`${shown(usd)}/h`, `${shown(other)}/h`];
}
