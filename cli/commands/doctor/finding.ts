/** The result of one check. */
export interface Finding {
  /** What was checked. */
  check: string;
  status: "ok" | "warning" | "error" | "unknown";
  result: string;
  /** What to do; missing where there is nothing to do. */
  advice?: string;
}

export const ok = (check: string, result: string): Finding => ({ check, status: "ok", result });
export const unknown = (check: string, result: string): Finding => ({ check, status: "unknown", result });

export function warn(check: string, result: string, advice: string): Finding {
  return { check, status: "warning", result, advice };
}

export function fail(check: string, result: string, advice: string): Finding {
  return { check, status: "error", result, advice };
}
