import { createHash } from "node:crypto";

/** Numbers from 0 to 1 that follow from the seed alone: what is chosen with them is the same whenever the seed is. */
export function seededRandom(seed: Uint8Array): () => number {
  let count = 0;
  return () => {
    count += 1;
    return createHash("sha256").update(seed).update(String(count)).digest().readUInt32BE(0) / 2 ** 32;
  };
}
