import { z } from "zod";
import { amount, answer, ifReadable } from "./answer";

const money = ifReadable(
  z.union([
    amount,
    answer({ amount }).transform((one) => one.amount),
    answer({ usd: amount }).transform((one) => one.usd),
  ]),
);

const balanceFields = {
  balance: money,
  current_balance: money,
  currentBalance: money,
  usd: money,
  balanceCents: money,
  balance_cents: money,
  credits: money,
};
type BalanceFields = z.output<z.ZodObject<typeof balanceFields>>;

const balanceBody = answer({ ...balanceFields, data: ifReadable(answer(balanceFields)) });

/** The balance in the shapes seen in the field; `usd` is read from whichever is there. */
export const balance = z.union([balanceBody, amount.transform((usd) => ({ usd }))]).transform((body, context) => {
  const usd = readBalance(body) ?? readBalance("data" in body ? body.data : undefined);
  if (usd !== undefined) return { ...body, usd };
  context.addIssue({ code: "custom", message: "has none of balance, balanceCents and credits" });
  return z.NEVER;
});

/** `balanceCents` and `credits` are in cents, the others in USD: the name decides. */
function readBalance(body: Partial<BalanceFields> | null | undefined): number | undefined {
  const usd = body?.balance ?? body?.current_balance ?? body?.currentBalance ?? body?.usd;
  const cents = body?.balanceCents ?? body?.balance_cents ?? body?.credits;
  return usd ?? (cents === null || cents === undefined ? undefined : cents / 100);
}

export type Balance = z.infer<typeof balance>;
