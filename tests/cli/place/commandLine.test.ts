import { resolve } from "node:path";
import { commandLine, commandLineFor, workOn } from "../../../cli/place";

const cwd = process.cwd();
const noStack = { cwd, names: [], all: false };

afterEach(() => workOn(noStack));

describe("A command that is written out", () => {
  test("is as short as it can be where the selected stack is meant", () => {
    workOn(noStack);
    expect(commandLine("gpufleet expired --destroy --yes")).toBe("gpufleet expired --destroy --yes");
  });

  test("names the stack that this run was given, so that a copy does not work on the selected one", () => {
    workOn({ cwd, names: ["org/fleet/v5"], all: false });
    expect(commandLine("gpufleet expired --destroy --yes")).toBe(
      "gpufleet expired --destroy --yes --stack org/fleet/v5",
    );
    expect(commandLine("pulumi up")).toBe("pulumi up --stack org/fleet/v5");
  });

  test("names the folder, as seen from here, and is safe in a shell whatever the names have in them", () => {
    workOn({ cwd: resolve(cwd, "../o'neil's; rm x"), names: ["a$(b)"], all: false });
    expect(commandLine("gpufleet ls")).toBe(`gpufleet ls --cwd '../o'\\''neil'\\''s; rm x' --stack 'a$(b)'`);
  });

  test("is about the same stacks where this run is about several and the command can be, too", () => {
    workOn({ cwd, names: ["a", "b-*"], all: false });
    expect(commandLine("gpufleet orphans")).toBe("gpufleet orphans --stack a --stack 'b-*'");
    expect(commandLineFor("gpufleet expired", "fleet/a")).toBe("gpufleet expired --stack a");
    expect(commandLineFor("gpufleet expired", "acme/fleet/a")).toBe("gpufleet expired --stack acme/fleet/a");
    workOn({ cwd, names: [], all: true });
    expect(commandLine("gpufleet ls --account")).toBe("gpufleet ls --account --all-stacks");
  });

  test("about one of several is for that one alone; otherwise for the one that was given, by the name it was given", () => {
    workOn({ cwd, names: ["org/fleet/dev"], all: false });
    expect(commandLineFor("gpufleet doctor", "fleet/dev")).toBe("gpufleet doctor --stack org/fleet/dev");
  });
});
