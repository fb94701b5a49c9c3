import { z } from "zod";
import { answer } from "./answer";

/** The balance in the shapes seen in the field; `usd` is read from whichever is there. */
export const balance = answer({
  balance: z.number().optional(),
  balanceCents: z.number().optional(),
  credits: z.number().optional(),
}).transform((body, context) => {
  const usd = readBalance(body);
  if (usd !== undefined) return { ...body, usd };
  context.addIssue({ code: "custom", message: "has none of balance, balanceCents and credits" });
  return z.NEVER;
});

/** `balance` is in USD, `balanceCents` and `credits` in cents: the name decides. */
function readBalance(body: {
  balance?: number | undefined;
  balanceCents?: number | undefined;
  credits?: number | undefined;
}) {
  if (body.balance !== undefined) return body.balance;
  const cents = body.balanceCents ?? body.credits;
  return cents === undefined ? undefined : cents / 100;
}

export type Balance = z.infer<typeof balance>;
