let collator: Intl.Collator | undefined;

/** For `sort`: "train-2" before "train-10". */
export function byNumber(one: string, other: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(one, other);
}
