import { isPartialRun, type RunningProcess } from "../../provider/fronts/engineCommand";

const runs = (...commands: string[]) => {
  const processes = commands.map((command, index): [number, RunningProcess] => [
    index + 1,
    { parent: index + 2, words: command.split(" ") },
  ]);
  const known = new Map(processes);
  return isPartialRun(1, async (pid) => known.get(pid));
};

describe("A run", () => {
  test.each([
    "pulumi up --target urn:x",
    "/opt/bin/pulumi up --yes --target=urn:x",
    "pulumi up -yt urn:x",
    "pulumi up -t urn:x",
    "pulumi.exe up --exclude urn:x",
  ])("is limited to a part of the stack: %s", async (command) => {
    expect(await runs(command)).toBe(true);
    expect(await runs("/bin/sh /opt/bin/pulumi-resource-pulumi-nodejs 127.0.0.1:1", command)).toBe(true);
  });

  test.each(["pulumi up --yes", "pulumi up --stack test", "pulumi up -stest", "pulumi destroy --target-dependents"])(
    "is about the whole stack: %s",
    async (command) => {
      expect(await runs(command)).toBe(false);
    },
  );

  test("counts as whole where its command is not found", async () => {
    expect(await runs()).toBe(false);
    expect(await runs("node server.js --target x")).toBe(false);
    expect(await runs("a", "b", "c", "d", "pulumi up --target x")).toBe(false);
  });

  test("is found from the processes of this machine", async () => {
    expect(await isPartialRun()).toBe(false);
  });
});
