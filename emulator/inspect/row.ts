import { costUntil, isBilling, perHourAt, roundUsd } from "../nouns";
import { phaseAt } from "../state";
import { formatTimestamp } from "../timestamp";
import type { Described } from "./objects";

export type Row = ReturnType<typeof rowOf>;

/** An object as the page shows it. */
export function rowOf({ life, price, ssh, ...object }: Described, at: number) {
  const { kind, id, account, label, status, region, what, showsPrice } = object;
  return {
    kind,
    id,
    account,
    label,
    status,
    phase: phaseAt(life, at),
    region,
    what,
    billing: isBilling(life, at),
    costPerHour: perHourAt(price, at),
    costSoFar: roundUsd(costUntil(price, life, at)),
    /** Whether clients see the price: the records of virtual machines need not have it. */
    showsPrice,
    createdAt: formatTimestamp(life.createdAt),
    endedAt: life.endedAt !== null && life.endedAt <= at ? formatTimestamp(life.endedAt) : null,
    ssh: ssh && `ssh -p ${ssh.port} ${ssh.user}@${ssh.host}`,
  };
}
