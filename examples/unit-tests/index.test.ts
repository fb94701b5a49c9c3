import assert from "node:assert";
import { before, describe, it } from "node:test";
import * as pulumi from "@pulumi/pulumi";

const registered: pulumi.runtime.MockResourceArgs[] = [];

pulumi.runtime.setMocks({
  newResource(args) {
    registered.push(args);
    return { id: `${args.name}-id`, state: args.inputs };
  },
  call({ token, inputs }) {
    return token === "gpufleet:index:getBalance" ? { usd: 250 } : inputs;
  },
});

/** The value of an output. */
const known = <Value>(output: pulumi.Output<Value>) =>
  new Promise<Value>((resolve) => {
    output.apply(resolve);
  });

describe("The training fleet", () => {
  let program: typeof import("./index");
  before(() => {
    // Only now, so that the mocks are there before the first resource.
    program = require("./index");
  });

  it("has two members", async () => {
    const members = await known(program.members);
    assert.deepStrictEqual(
      members.map(({ name }) => name),
      ["train-0", "train-1"],
    );
  });

  it("never runs longer than a working day", async () => {
    await known(program.members);
    const rentals = registered.filter(({ type }) => type.endsWith(":BareMetalRental"));
    assert.strictEqual(rentals.length, 2);
    for (const { inputs } of rentals) assert.strictEqual(inputs["expiresAt"], "8h");
  });

  it("has its data attached to every member", async () => {
    const members = await known(program.members);
    assert.deepStrictEqual(
      await known(program.attachedTo),
      members.map(({ rentalId }) => rentalId),
    );
  });

  it("asks for the balance", async () => {
    assert.strictEqual(await program.isFunded, true);
  });
});
