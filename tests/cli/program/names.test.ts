import { Names } from "../../../cli/program";

describe("Names in a written program", () => {
  test.each([
    ["train", "train"],
    ["train-node_2", "trainNode2"],
    ["GPU box", "gpuBox"],
    ["2024-train", "rental2024Train"],
    ["日本", "rental"],
    ["", "rental"],
    ["new", "newMachine"],
    ["__proto__", "proto"],
    ["process", "processMachine"],
    ["a`;process.exit()//", "aProcessExit"],
  ])("the variable for the label %j is %s", (label, variable) => {
    expect(new Names().variable(label, "rental")).toBe(variable);
  });

  test("no two variables are the same, whatever the labels are, nor one of the taken", () => {
    const names = new Names(["ssh"]);
    const labels = ["a", "a", "a2", "a 2", "a", "ssh", "constructor", "constructor"];
    const variables = labels.map((label) => names.variable(label, "vm"));
    expect(variables).toEqual(["a", "a2", "a22", "a23", "a3", "ssh2", "constructor", "constructor2"]);
  });

  test("the name of a resource stays as near to the label as a URN can have it", () => {
    const names = new Names(["data"]);
    const labels = ["train node", "data", "data", "::", "x".repeat(100), "日本"];
    expect(labels.map((label) => names.resource(label, "volume-7"))).toEqual([
      "train-node",
      "data-2",
      "data-3",
      "volume-7",
      "x".repeat(60),
      "volume-7-2",
    ]);
  });
});
