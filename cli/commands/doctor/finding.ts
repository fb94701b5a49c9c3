/** One thing that was looked at. */
export interface Finding {
  /** What was looked at. */
  about: string;
  is: "right" | "doubtful" | "wrong" | "unknown";
  /** What was found. */
  found: string;
  /** What to do; missing where there is nothing to do. */
  advice?: string;
}

export const right = (about: string, found: string): Finding => ({ about, is: "right", found });
export const doubtful = (about: string, found: string, advice: string): Finding => ({
  about,
  is: "doubtful",
  found,
  advice,
});
export const wrong = (about: string, found: string, advice: string): Finding => ({ about, is: "wrong", found, advice });
export const unknown = (about: string, found: string): Finding => ({ about, is: "unknown", found });
