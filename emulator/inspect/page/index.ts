import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The files of the page, as the formatter and the type checker see them. */
const types = {
  "page.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "controls.js": "text/javascript; charset=utf-8",
  "dom.js": "text/javascript; charset=utf-8",
  "format.js": "text/javascript; charset=utf-8",
  "machine.js": "text/javascript; charset=utf-8",
  "requests.js": "text/javascript; charset=utf-8",
  "resources.js": "text/javascript; charset=utf-8",
};

/** Nothing but the page's own files runs or is fetched, whatever a label says. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const read = new Map<string, string>();

/** One file of the page at `/`; 404 for anything else. */
export function pageAsset(name: string): Response {
  const type = Object.entries(types).find(([known]) => known === name)?.[1];
  if (type === undefined) return new Response("not found", { status: 404 });
  // The build copies everything that is not TypeScript, so the files are beside this one in the sources and in dist.
  const text = read.get(name) ?? readFileSync(join(__dirname, name), "utf8");
  read.set(name, text);
  return new Response(text, {
    headers: {
      "content-type": type,
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
