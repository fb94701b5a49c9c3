import { dirname, join, normalize } from "node:path";
import { root } from "../../tools/bootstrap/paths";
import { deadLinks, linksOf } from "./links";
import { listPages } from "./pages";

const pages = listPages();

test("No link in the README, the docs or the examples is dead", () => {
  expect(deadLinks(root)).toEqual([]);
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
