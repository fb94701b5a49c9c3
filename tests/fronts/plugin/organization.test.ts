import { organizations } from "../../../provider/fronts/plugin/organization";

const stack = { project: "fleet", stack: "dev" };

/** Pulumi Cloud with these stacks, as its command shows them to ada. */
function cloud(stacks: readonly { name: string; current?: boolean }[], url = "https://app.pulumi.com/ada") {
  return async (...args: string[]) => {
    const command = args.join(" ");
    if (command === "whoami --verbose --json") return JSON.stringify({ user: "ada", url });
    if (command === "stack ls --project fleet --fully-qualify-stack-names --json") return JSON.stringify(stacks);
    throw new Error(`unexpected: ${command}`);
  };
}
const runs = (command: string) => async () => ({ words: command.split(" ") });

describe("The organization of a stack of Pulumi Cloud", () => {
  test("is the one that lists it, which need not be the user's own", async () => {
    const pulumi = cloud([{ name: "acme/fleet/dev" }, { name: "ada/fleet/prod" }]);
    expect(await organizations(pulumi, {}, runs("pulumi up"))(stack)).toBe("acme");
  });

  test("is the one of the selected stack, or of the one that the command names, where several have it", async () => {
    const pulumi = cloud([{ name: "ada/fleet/dev" }, { name: "acme/fleet/dev", current: true }]);
    expect(await organizations(pulumi, {}, runs("pulumi up"))(stack)).toBe("acme");
    expect(await organizations(pulumi, {}, runs("pulumi up --stack ada/dev"))(stack)).toBe("ada");
    expect(await organizations(pulumi, { PULUMI_STACK: "ada/fleet/dev" }, runs("pulumi up"))(stack)).toBe("ada");
  });

  test("is the user's own where the stack is not listed yet", async () => {
    expect(await organizations(cloud([]), {}, runs("pulumi up --stack dev"))(stack)).toBe("ada");
  });
});

test("States that are kept elsewhere have one organization", async () => {
  const never = async () => Promise.reject(new Error("asked"));
  expect(await organizations(never, { PULUMI_BACKEND_URL: "file:///tmp" }, never)(stack)).toBe("organization");
  expect(await organizations(cloud([], "s3://states"), {}, never)(stack)).toBe("organization");
  expect(await organizations(never, {}, never)(stack)).toBe("organization");
});
