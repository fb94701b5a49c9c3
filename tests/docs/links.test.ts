import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "../../tools/bootstrap/paths";
import { listPages, type Page } from "./pages";

const pages = listPages();

/** Where the links of a page lead; those to other sites are not looked at. */
function linksOf({ text }: Page): string[] {
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

function isDead(page: Page, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? page.file : normalize(join(dirname(page.file), path));
  const target = join(root, file);
  if (file.startsWith("..") || !existsSync(target)) return true;
  if (anchor === undefined) return false;
  return statSync(target).isDirectory() || !anchorsOf(readFileSync(target, "utf8")).has(anchor);
}

test("No link in the README, the docs or the examples is dead", () => {
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => isDead(page, link))
      .map((link) => `${page.file}: ${link}`),
  );
  expect(dead).toEqual([]);
});

test("Every page of the docs can be reached from docs/index.md, and every example from examples/README.md", () => {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const reachable = new Set(["docs/index.md", "examples/README.md"]);
  for (const file of reachable) {
    const page = byFile.get(file);
    for (const link of page ? linksOf(page) : [])
      reachable.add(normalize(join(dirname(file), link.replace(/#.*/, ""))));
  }
  const lost = pages.map(({ file }) => file).filter((file) => /^(docs|examples)\//.test(file) && !reachable.has(file));
  expect(lost).toEqual([]);
});

test("examples/README.md lists every example once", () => {
  const list = pages.find(({ file }) => file === "examples/README.md");
  const listed = list ? linksOf(list).filter((link) => !link.startsWith("..")) : [];
  expect(listed.length).toBeGreaterThan(5);
  expect(listed.filter((link, index) => listed.indexOf(link) !== index)).toEqual([]);
});
