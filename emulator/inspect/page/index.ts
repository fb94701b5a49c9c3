import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Page {
  html: string;
  headers: Record<string, string>;
}

let page: Page | undefined;

/** The page at `/`, with its style and its script inlined: it fetches nothing but the figures. */
export function readPage(): Page {
  page ??= assemble(read("page.html"), read("page.css"), read("page.js"));
  return page;
}

/** The build copies everything that is not TypeScript, so the files are beside this one in the sources and in dist. */
function read(name: string): string {
  return readFileSync(join(__dirname, name), "utf8");
}

function assemble(html: string, style: string, script: string): Page {
  // As functions, because `$` has a meaning in a replacement text.
  const whole = html
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(/<script type="module"[^>]*>/, () => `<script type="module">${script}`);
  return { html: whole, headers: headersFor(script) };
}

/** Nothing but the page's own script runs, whatever a label says. */
function headersFor(script: string): Record<string, string> {
  const scriptHash = createHash("sha256").update(script).digest("base64");
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'sha256-${scriptHash}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}
