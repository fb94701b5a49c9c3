import { parseExample, writeExample } from "../../tools/generate/examples";
import { replaceMarkedPart } from "../../tools/generate/markedPart";

const program = 'import { VmRental } from "pulumi-gpufleet";\n';
const withComment = (...lines: string[]) =>
  `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n\n${program}`;

describe("An example", () => {
  test("is described by the comment at its top: a title, a sentence, and more", () => {
    expect(
      parseExample("a", withComment("A title", "", "One sentence.", "", "More", "of it.", "", "And more.")),
    ).toEqual({
      name: "a",
      title: "A title",
      description: "One sentence.",
      details: "More\nof it.\n\nAnd more.",
      program,
      isScript: false,
      hasTests: false,
    });
  });

  test.each([
    ["no comment", program],
    ["a title alone", withComment("A title")],
    ["a description that is no sentence", withComment("A title", "", "no sentence")],
    ["a description of two lines", withComment("A title", "", "One sentence", "on two lines.")],
  ])("with %s is refused by the name of its file", (_, text) => {
    expect(() => parseExample("a", text)).toThrow(
      "examples/a/index.ts must begin with a comment that holds a title, an empty line and one sentence on one line: its README and Pulumi.yaml are written from it",
    );
  });

  test("gets a README that links the page of its resource, and shows the usual commands", () => {
    const files = new Map(writeExample(parseExample("vm-rental", withComment("A VM", "", "One GPU.")), "VmRental"));
    expect([...files.keys()]).toEqual(
      ["Pulumi.yaml", "package.json", "tsconfig.json", "README.md"].map((file) => `examples/vm-rental/${file}`),
    );
    expect(files.get("examples/vm-rental/README.md")).toBe(
      [
        "<!-- Written by `npm run generate` from the comment in `index.ts`. Do not edit. -->",
        "# A VM",
        "One GPU.",
        "```sh\npulumi stack init dev\npulumi up\npulumi destroy\n```",
        "All inputs and outputs: [VmRental](../../docs/vm-rental.md).\n",
      ].join("\n\n"),
    );
  });

  test("with commands of its own shows those alone", () => {
    const text = withComment("A VM", "", "One GPU.", "", "```sh", "npm start", "```");
    const readme = new Map(writeExample(parseExample("a", text), undefined)).get("examples/a/README.md");
    expect(readme).toMatch(/```sh\nnpm start\n```\n$/);
    expect(readme).not.toContain("pulumi up");
  });

  test("with tests says how to run them", () => {
    const example = parseExample("a", withComment("A VM", "", "One GPU."), true);
    const { scripts } = JSON.parse(new Map(writeExample(example, undefined)).get("examples/a/package.json") ?? "");
    expect(scripts).toEqual({ test: "node --require ts-node/register index.test.ts" });
  });

  test("that is a script has no project", () => {
    const text = withComment("A script", "", "It runs.").replace("pulumi-gpufleet", "@pulumi/pulumi/automation");
    const files = writeExample(parseExample("a", text), undefined).map(([file]) => file);
    expect(files).not.toContain("examples/a/Pulumi.yaml");
  });
});

describe("A page with a generated part", () => {
  const page = "before\n<!-- list: written by `npm run generate` -->\n\nold\n\n<!-- end of list -->\nafter\n";

  test("keeps what is around it", () => {
    const written = replaceMarkedPart("docs/a.md", page, "list", "new\n");
    expect(written).toBe(page.replace("old", "new"));
    expect(replaceMarkedPart("docs/a.md", written, "list", "new\n")).toBe(written);
  });

  test.each([
    ["the beginning", page.replace(/<!-- list.*\n/, "")],
    ["the end", page.replace("<!-- end of list -->", "")],
  ])("is refused without the mark of %s", (_, text) => {
    expect(() => replaceMarkedPart("docs/a.md", text, "list", "new")).toThrow(
      "docs/a.md needs the lines <!-- list: written by `npm run generate` --> and <!-- end of list -->, in this order",
    );
  });
});
