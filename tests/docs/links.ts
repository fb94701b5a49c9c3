/** Links between the pages of a checkout, or of the package as it is installed. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { listPages, type Page } from "./pages";

/** Where the links of a page lead; those to other sites are not looked at. */
export function linksOf({ text }: Page): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target).filter((to) => !/^\w+:/.test(to));
}

/** As the usual Markdown readers make them: from headings, and where they are written out. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
  const written = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
  return new Set([...headings, ...written]);
}

function isDead(folder: string, page: Page, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? page.file : normalize(join(dirname(page.file), path));
  const target = join(folder, file);
  if (file.startsWith("..") || !existsSync(target)) return true;
  if (anchor === undefined) return false;
  return statSync(target).isDirectory() || !anchorsOf(readFileSync(target, "utf8")).has(anchor);
}

/** The links of the pages in this folder that lead nowhere in it. */
export function deadLinks(folder: string): string[] {
  return listPages(folder).flatMap((page) =>
    linksOf(page)
      .filter((link) => isDead(folder, page, link))
      .map((link) => `${page.file}: ${link}`),
  );
}
