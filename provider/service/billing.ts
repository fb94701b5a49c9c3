import { z } from "zod";
import { amount, answer, ifReadable } from "./answer";

const isUsd = (currency: string) => /^(usd|us\$|\$|us dollars?)$/i.test(currency.trim());
const currency = z.string().refine(isUsd, "must be USD");

const money = ifReadable(
  z.union([
    amount,
    answer({ amount, currency: currency.optional() }).transform((one) => one.amount),
    answer({ usd: amount }).transform((one) => one.usd),
  ]),
);

/** In cents, unless it says itself that it is in USD. */
const credits = ifReadable(
  z.union([
    amount,
    answer({ amount, currency: currency.optional() }).transform((one) => one.amount * (one.currency ? 100 : 1)),
    answer({ usd: amount }).transform((one) => one.usd * 100),
  ]),
);

const balanceFields = {
  balance: money,
  current_balance: money,
  currentBalance: money,
  usd: money,
  balanceCents: money,
  balance_cents: money,
  credits,
  currency: ifReadable(z.string().nullable()),
};
type BalanceFields = z.output<z.ZodObject<typeof balanceFields>>;

const balanceBody = answer({ ...balanceFields, data: ifReadable(answer(balanceFields)) });

/** The balance in the shapes seen in the field; `usd` is read from whichever is there. */
export const balance = z.union([balanceBody, amount.transform((usd) => ({ usd }))]).transform((body, context) => {
  const data = "data" in body ? body.data : undefined;
  const usd = readBalance(body) ?? readBalance(data);
  // It is not converted: nobody here knows the rate.
  const other = [body, data].map((part) => currencyOf(part)).find((name) => name && !isUsd(name));
  if (usd !== undefined && other === undefined) return { ...body, usd };
  context.addIssue({
    code: "custom",
    message:
      other === undefined ? "has none of balance, balanceCents and credits in USD" : `is in ${other}, not in USD`,
  });
  return z.NEVER;
});

function currencyOf(body: object | null | undefined): string | undefined {
  return body && "currency" in body && typeof body.currency === "string" ? body.currency : undefined;
}

/** `balanceCents` and `credits` are in cents, the others in USD: the name decides. */
function readBalance(body: Partial<BalanceFields> | null | undefined): number | undefined {
  const usd = body?.balance ?? body?.current_balance ?? body?.currentBalance ?? body?.usd;
  const cents = body?.balanceCents ?? body?.balance_cents ?? body?.credits;
  return usd ?? (cents === null || cents === undefined ? undefined : cents / 100);
}

export type Balance = z.infer<typeof balance>;
