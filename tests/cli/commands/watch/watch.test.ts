import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listHoldings } from "../../../../cli/account/holdings";
import { type Situations, situationOf } from "../../../../cli/account/situation";
import { balanceFindings } from "../../../../cli/commands/watch/findings";
import { type LookRequest, lookAt } from "../../../../cli/commands/watch/look";
import { Memory } from "../../../../cli/commands/watch/memory";
import { repeat } from "../../../../cli/commands/watch/repeat";
import { type Watch, watchRound } from "../../../../cli/commands/watch/round";
import { Webhook } from "../../../../cli/commands/watch/webhook";
import { showReport, slackMessage } from "../../../../cli/commands/watch/words";
import { placeOf } from "../../../../cli/options";
import { PulumiError } from "../../../../cli/stack/pulumi";
import { commandRuntime } from "../../../../cli/stack/runtime";
import { Stack } from "../../../../cli/stack/stack";
import type { State } from "../../../../cli/stack/state";
import { type Account, openAccount } from "../../account/openAccount";
import { Receiver } from "./receiver";

const plain = (_style: string, text: string) => text;
const hour = 3_600_000;
const created = Date.UTC(2026, 0, 1);
const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const urnOf = (name: string) => `urn:pulumi:dev::fleet::${type}::${name}`;

describe("gpufleet watch", () => {
  let account: Account;
  let now: number;

  beforeEach(async () => {
    now = created;
    account = await openAccount({ clock: { now: () => now }, balance: 1000 });
  });

  afterEach(() => account.close());

  async function rent(label: string): Promise<string> {
    const order = { gpuCount: 8, networkType: "infiniband", label } as const;
    return String((await account.runtime.client.createBareMetalRental(order)).id);
  }

  const resource = (name: string, id: string, outputs: object = {}) => ({
    urn: urnOf(name),
    type,
    id,
    inputs: {},
    outputs: { gpuType: "h100", gpuCount: 8, region: "us-central-1", costPerHour: 19.92, ...outputs },
  });
  const stateOf = (...resources: ReturnType<typeof resource>[]): State => ({ version: 3, deployment: { resources } });
  const nothing = stateOf();

  interface Seen {
    /** The engine, played. */
    pulumi?: (args: string[]) => Promise<string>;
    /** Parts of the state in accounts of their own. */
    others?: { account: string; state: State }[];
    leftOut?: Situations["leftOut"];
  }

  /** What a command sees that begins now, with clients of its own. */
  async function situations(state: State, { pulumi, others = [], leftOut = [] }: Seen = {}): Promise<Situations> {
    const stack = new Stack({ cwd: "/" });
    if (pulumi) {
      stack.pulumi = (...args) => pulumi(args);
      stack.endExpired = (urns) => pulumi(["refresh", ...urns.flatMap((urn) => ["--target", urn])]);
    }
    const identity = { organization: "organization", project: "fleet", stack: "dev" };
    const otherStacks = async () => ({ stacks: [], unread: [] });
    const environment = { GPUFLEET_BASE_URL: account.url, GPUFLEET_API_KEY: "emulator-key" };
    const open = async (part: { account?: string; state: State }) => {
      const runtime = commandRuntime(() => undefined, environment);
      return situationOf({ stack, identity, runtime, otherStacks, ...part }, await listHoldings(runtime));
    };
    const first = await open({ state });
    const rest = await Promise.all(others.map(open));
    const close = async () => {
      for (const { runtime } of [first, ...rest]) await runtime.client.close();
    };
    return { situations: [first, ...rest], leftOut, close };
  }

  const request: LookRequest = {
    destroyExpired: false,
    yes: false,
    allowDataLoss: false,
    minBalanceHours: undefined,
    graceMs: hour,
    secrets: [],
    say: () => undefined,
  };

  async function look(state: State, more: Partial<LookRequest> = {}, seen: Seen = {}) {
    const found = await situations(state, seen);
    try {
      return await lookAt(found, { ...request, ...more });
    } finally {
      await found.close();
    }
  }

  describe("reports", () => {
    test("nothing where all is well", async () => {
      const id = await rent(account.label("train"));
      const report = await look(stateOf(resource("train", id, { expiresAtTime: "2026-01-02T00:00:00Z" })));
      expect(report).toEqual({
        stack: "fleet/dev",
        at: expect.stringMatching(/^2026-01-01T00:00:0/),
        findings: [],
        destroyed: [],
        notes: [],
      });
      expect(showReport(report, plain)).toBe("GPU fleet fleet/dev: nothing to report");
    });

    test("what has expired, is an orphan, has failed or is gone, and a balance that does not last", async () => {
      const old = await rent(account.label("old"));
      const lost = await rent(account.label("lost"));
      account.emulator.faults.add({
        match: { method: "POST", path: "/v2/alpha/on-demand/bare-metal-rentals" },
        kind: "fail-provisioning",
      });
      const broken = await rent(account.label("broken"));
      now = created + 2 * hour;
      await rent(account.label("young"));
      const state = stateOf(
        resource("old", old, { expiresAtTime: "2026-01-01T01:00:00Z" }),
        resource("broken", broken),
        resource("gone", "4242"),
      );
      const report = await look(state, { minBalanceHours: 24 });
      expect(showReport(report, plain)).toBe(
        `GPU fleet fleet/dev: 5 findings
  old (bare-metal rental, 8×h100) expired 1h00m ago and still runs, $19.92 since then. Not destroyed: \`gpufleet expired --destroy --yes\` destroys it
  bare-metal rental ${lost} is an orphan, in no state: 8×h100, 2h00m old, $19.92/h. \`gpufleet orphans\` says more.
  broken (bare-metal rental ${broken}, 8×h100) has failed: its status is Failed, $19.92/h. \`pulumi up --refresh\` replaces it.
  gone (bare-metal rental 4242, 8×h100) is in the state, but the service no longer lists it. \`gpufleet doctor\` says more.
  The balance of $880.48 lasts 11.1 h at $79.68/h: less than 24 h.`,
      );
    });

    test("a balance that is used up also where what runs has no known price", () => {
      const sum = { perHour: 0, known: 0, unknown: 2, estimated: false, spent: null, spentUnknown: 2 };
      const finding = (balance: number, unknown: number) =>
        balanceFindings({ balance, total: { ...sum, unknown } }, 48).map(({ text }) => text);
      expect(finding(-3, 2)).toEqual(["The balance of −$3.00 is used up, and there are 2 unknown prices."]);
      expect(finding(0, 1)).toEqual(["The balance of $0.00 is used up, and there is 1 unknown price."]);
      expect([finding(0, 0), finding(5, 2)]).toEqual([[], []]);
    });

    test("of what must not be destroyed why, and not that a command destroys it", async () => {
      const expiresAtTime = "2026-01-01T01:00:00Z";
      const storageVolume = { isNew: true, label: "data", sizeInGb: 2048 };
      now += 2 * hour;
      const { findings } = await look(
        stateOf(
          { ...resource("a", await rent("a"), { expiresAtTime }), ...{ protect: true } },
          resource("b", await rent("b"), { expiresAtTime, storageVolume }),
          resource("c", await rent("c"), { expiresAtTime }),
        ),
      );
      expect(findings.map(({ text }) => text.replace(/.* Not destroyed: /, ""))).toEqual([
        "the resource option protect protects it. Remove the option from the program and run `pulumi up`.",
        "data (created with b) would be deleted, too, with its contents. Add --allow-data-loss; or keep it, with keepVolume on the rental that it was created with.",
        "`gpufleet expired --destroy --yes` destroys it",
      ]);
    });

    test("with commands for the stack that was named, which need not be the selected one", async () => {
      const state = stateOf(resource("old", await rent("old"), { expiresAtTime: "2025-12-31T23:00:00Z" }));
      placeOf({ cwd: ".", stack: "v5" });
      try {
        const [finding] = (await look(state)).findings;
        expect(finding?.text).toMatch(/Not destroyed: `gpufleet expired --destroy --yes --stack v5` destroys it$/);
      } finally {
        placeOf({ cwd: "." });
      }
    });

    test("what was replaced and still runs, and a create whose result is unknown as just that", async () => {
      const old = { ...resource("train", await rent("old")), delete: true };
      const { findings } = await look(stateOf(old, resource("lost", "unresolved:mine")));
      expect(findings.map(({ kind, text }) => [kind, text])).toEqual([
        [
          "unresolved",
          "lost (bare-metal rental, 8×h100): it is unknown what its create has created, which may be running. `pulumi up` looks for it.",
        ],
        [
          "replaced",
          `train (bare-metal rental ${old.id}, 8×h100) was replaced and still runs, $19.92/h. If no run is under way, \`pulumi up\` deletes it.`,
        ],
      ]);
    });

    test("no orphan that another run may be creating, until it is old enough", async () => {
      await rent(account.label("train"));
      expect((await look(nothing)).findings).toEqual([]);
      now += hour;
      expect((await look(nothing)).findings).toMatchObject([{ kind: "orphan" }]);
    });

    test("what it could not look at", async () => {
      const strange = { status: 200, body: { rows: [] }, times: 100, kind: "status" } as const;
      account.emulator.faults.add({ match: { method: "GET", path: "/v1/marketplace/instances" }, ...strange });
      account.emulator.faults.add({ match: { method: "GET", path: "/billing/get_current_balance" }, ...strange });
      const { findings } = await look(nothing, { minBalanceHours: 1 });
      expect(findings.map(({ kind, subject }) => [kind, subject])).toEqual([
        ["unreadable", "unreadable marketplace instances"],
        ["unreadable", "unreadable balance"],
      ]);
    });

    test("each account of the stack by itself, and those that could not be asked", async () => {
      const expiresAtTime = "2026-01-01T01:00:00Z";
      const [here, there] = [await rent("here"), await rent("there")];
      now += 2 * hour;
      const others = [
        {
          account: 'provider "other"',
          state: stateOf(resource("there", there, { expiresAtTime }), resource("gone", "7")),
        },
      ];
      const leftOut = [{ provider: 'provider "third"', resources: ['VmRental "login"'], reason: "no passphrase" }];
      const { findings } = await look(
        stateOf(resource("here", here, { expiresAtTime })),
        { minBalanceHours: 1000 },
        { others, leftOut },
      );
      expect(findings.map(({ kind, account, name }) => [kind, account, name])).toEqual([
        ["expired", undefined, "here"],
        ["expired", undefined, "there"],
        ["balance", undefined, undefined],
        ["missing", 'provider "other"', "gone"],
        ["balance", 'provider "other"', undefined],
        ["unreadable", undefined, undefined],
      ]);
      expect(new Set(findings.map(({ subject }) => subject)).size).toBe(6);
      expect(findings.at(-2)?.text).toMatch(/^Account of provider "other": The balance of /);
      expect(findings.at(-1)?.text).toBe(
        'Could not be asked, and may hide something: the account of provider "third", with VmRental "login". no passphrase',
      );
    });

    test("no secret", async () => {
      const id = await rent(account.label("train"));
      now += 2 * hour;
      const expired = stateOf(resource("train", id, { expiresAtTime: "2026-01-01T01:00:00Z" }));
      const fails = async () => {
        throw new PulumiError("refresh", "cannot open the state with hunter2-hunter2");
      };
      const more = { destroyExpired: true, yes: true, secrets: ["hunter2-hunter2"] };
      const { findings } = await look(expired, more, { pulumi: fails });
      expect(findings[0]?.text).toContain(
        "Not destroyed: `pulumi refresh` failed: cannot open the state with [redacted]",
      );
    });
  });

  describe("--destroy-expired", () => {
    const expiresAtTime = "2026-01-01T01:00:00Z";
    const storageVolume = { isNew: true, label: "train-data", sizeInGb: 2048 };

    /** An engine that ends what it is told to. */
    async function destroy(state: State, more: Partial<LookRequest> = {}) {
      now = created + 2 * hour;
      const destroyed: string[] = [];
      const resources = state.deployment.resources ?? [];
      const pulumi = async (args: string[]) => {
        destroyed.push(...args.flatMap((arg, index) => (args[index - 1] === "--target" ? [arg] : [])));
        const left = resources.filter(({ urn }) => !destroyed.includes(urn));
        return JSON.stringify({ ...state, deployment: { resources: left } });
      };
      const report = await look(state, { destroyExpired: true, yes: true, ...more }, { pulumi });
      return { report, destroyed };
    }

    test("destroys what has expired through the engine, and reports it", async () => {
      const { report, destroyed } = await destroy(stateOf(resource("train", await rent("x"), { expiresAtTime })));
      expect(destroyed).toEqual([urnOf("train")]);
      expect(report).toMatchObject({ findings: [], destroyed: [{ name: "train", costPerHour: 19.92 }] });
      expect(showReport(report, plain)).toBe(`GPU fleet fleet/dev: 1 expired resource destroyed
  train (bare-metal rental, 8×h100) had expired and was destroyed.`);
    });

    test("destroys nothing without --yes", async () => {
      const state = stateOf(resource("train", await rent("x"), { expiresAtTime }));
      const { report, destroyed } = await destroy(state, { yes: false });
      expect(destroyed).toEqual([]);
      expect(report.findings[0]?.text).toMatch(/Not destroyed: add --yes to destroy it$/);
    });

    test("keeps what would take data along, and destroys the others", async () => {
      const state = stateOf(
        resource("job", await rent("job"), { expiresAtTime }),
        resource("train", await rent("train"), { expiresAtTime, storageVolume }),
      );
      const { report, destroyed } = await destroy(state);
      expect(destroyed).toEqual([urnOf("job")]);
      expect(report.destroyed.map(({ name }) => name)).toEqual(["job"]);
      expect(report.findings.map(({ kind, name }) => [kind, name])).toEqual([["expired", "train"]]);
      expect(report.findings[0]?.text).toContain("train-data (created with train) would be deleted, too");
      expect((await destroy(state, { allowDataLoss: true })).destroyed).toEqual([urnOf("job"), urnOf("train")]);
    });

    test("reports what is left where the engine fails half-way", async () => {
      const [job, train] = [
        resource("job", await rent("job"), { expiresAtTime }),
        resource("train", await rent("train"), { expiresAtTime }),
      ];
      now = created + 2 * hour;
      const pulumi = async (args: string[]) => {
        if (args[0] === "stack") return JSON.stringify(stateOf(train));
        throw new PulumiError("refresh", "the service does not answer");
      };
      const report = await look(stateOf(job, train), { destroyExpired: true, yes: true }, { pulumi });
      expect(report.destroyed.map(({ name }) => name)).toEqual(["job"]);
      expect(report.findings).toMatchObject([{ kind: "expired", name: "train" }]);
    });
  });

  describe("--webhook", () => {
    let receiver: Receiver;
    let folder: string;

    beforeEach(async () => {
      receiver = new Receiver();
      await receiver.listen();
      folder = mkdtempSync(join(tmpdir(), "gpufleet-watch-"));
    });

    afterEach(() => {
      receiver.close();
      rmSync(folder, { recursive: true });
    });

    const memoryFile = () => join(folder, "deep", "memory.json");

    /** As a new process would watch, with nothing but the file to remember by. */
    const watch = (more: Partial<Watch> = {}): Watch => ({
      look: () => situations(nothing),
      stackName: "dev",
      request,
      memory: new Memory(memoryFile()),
      webhook: {
        to: new Webhook(receiver.url),
        format: "json",
        options: { limits: { timeoutMs: 5000, attempts: 1, firstPauseMs: 1 } },
      },
      always: false,
      ...more,
    });

    test("gets what was found, again when it changes, and once when it is over", async () => {
      await watchRound(watch());
      expect(receiver.arrived).toEqual([]);

      const one = await rent(account.label("one"));
      const two = await rent(account.label("two"));
      now += hour;
      expect(await watchRound(watch())).toMatchObject({ isNews: true, failures: [] });
      now += hour;
      expect(await watchRound(watch())).toMatchObject({ isNews: false, failures: [] });
      expect(receiver.arrived).toHaveLength(1);
      expect(receiver.arrived[0]?.body).toEqual({
        version: 1,
        source: "gpufleet watch",
        stack: "fleet/dev",
        at: expect.stringMatching(/^2026-01-01T01:00:0/),
        status: "found",
        text: "GPU fleet fleet/dev: 2 findings",
        findings: [one, two].map((id, index) => ({
          kind: "orphan",
          name: ["one", "two"][index],
          type: "BareMetalRental",
          id,
          costPerHour: 19.92,
          text: `bare-metal rental ${id} is an orphan, in no state: 8×h100, 1h00m old, $19.92/h. \`gpufleet orphans\` says more.`,
        })),
        destroyed: [],
        notes: [],
      });

      await account.runtime.client.terminateRental({ rentalId: Number(one) });
      await watchRound(watch());
      await account.runtime.client.terminateRental({ rentalId: Number(two) });
      await watchRound(watch());
      await watchRound(watch());
      expect(receiver.arrived.map(({ body }) => body)).toMatchObject([
        { status: "found" },
        { status: "found", findings: [{ id: two }] },
        { status: "clear", text: "GPU fleet fleet/dev: nothing to report" },
      ]);
    });

    test("gets every report with --always, as a sign of life", async () => {
      await watchRound(watch({ always: true }));
      await watchRound(watch({ always: true }));
      expect(receiver.arrived).toHaveLength(2);
    });

    test("gets what it did not take the next time", async () => {
      await rent(account.label("one"));
      now += hour;
      receiver.answers = [500];
      const { failures } = await watchRound(watch());
      expect(failures).toEqual([
        new Error(`posting to the webhook ${new Webhook(receiver.url).name} failed: it answered 500: ok`),
      ]);
      expect(await watchRound(watch())).toMatchObject({ isNews: true, failures: [] });
      expect(receiver.arrived).toHaveLength(2);
    });

    test("hears of a failed destroy once, however its error is worded, and again when it is another reason", async () => {
      const outputs = { expiresAtTime: "2026-01-01T01:00:00Z" };
      const state = stateOf(resource("train", await rent("train"), outputs));
      now += 2 * hour;
      const failsWith = (text: string): Partial<Watch> => ({
        request: { ...request, destroyExpired: true, yes: true },
        look: () =>
          situations(state, {
            pulumi: async () => {
              throw new PulumiError("destroy", text);
            },
          }),
      });
      await watchRound(watch(failsWith("the stack is locked since 12:00")));
      await watchRound(watch(failsWith("the stack is locked since 13:00")));
      expect(receiver.arrived).toHaveLength(1);
      await watchRound(watch({ look: () => situations(state) }));
      expect(receiver.arrived).toHaveLength(2);
    });

    test("hears that nothing could be checked, once", async () => {
      const blind = { look: () => Promise.reject(new Error("no stack named 'dev' found")) };
      expect(await watchRound(watch(blind))).toMatchObject({ failures: [{ message: "no stack named 'dev' found" }] });
      await watchRound(watch(blind));
      expect(receiver.arrived.map(({ body }) => body)).toMatchObject([
        { stack: "dev", findings: [{ kind: "error", text: "Nothing could be checked: no stack named 'dev' found" }] },
      ]);
    });

    test("is told again where the memory is damaged, and the memory holds no names", async () => {
      await rent(account.label("one"));
      now += hour;
      await watchRound(watch());
      expect(readFileSync(memoryFile(), "utf8")).toMatch(/^\{"version":1,"reported":\["[0-9a-f]{16}"\]\}$/);
      writeFileSync(memoryFile(), "{");
      await watchRound(watch());
      expect(receiver.arrived).toHaveLength(2);
    });

    test("gets a message for Slack in which no name can mention anybody", async () => {
      await rent(account.label("one"));
      now += hour;
      const [webhook] = [watch().webhook];
      await watchRound(watch({ webhook: webhook && { ...webhook, format: "slack" } }));
      expect(receiver.arrived[0]?.body).toEqual({
        text: expect.stringMatching(/^\*GPU fleet fleet\/dev: 1 finding\*\n• bare-metal rental \d+ is an orphan/),
      });
      const finding = { kind: "failed", subject: "x", text: "<!channel> & co" } as const;
      const findings = Array.from({ length: 22 }, () => finding);
      const { text } = slackMessage({ stack: "a<b", at: "", findings, destroyed: [], notes: [] });
      expect(text.split("\n").slice(0, 2)).toEqual(["*GPU fleet a&lt;b: 22 findings*", "• &lt;!channel&gt; &amp; co"]);
      expect(text).toMatch(/\n… and 2 more$/);
    });
  });

  test("--every looks again and again until it is told to stop, and finishes what it is doing", async () => {
    const stop = new AbortController();
    const log: string[] = [];
    const clock = { now: () => 0, sleep: async (ms: number) => void log.push(`sleeps ${ms}`) };
    const work = async () => {
      if (log.filter((line) => line === "begins").length === 1) stop.abort();
      log.push("begins");
      await Promise.resolve();
      log.push("ends");
    };
    await repeat(work, 600_000, clock, stop.signal);
    expect(log).toEqual(["begins", "ends", "sleeps 600000", "begins", "ends", "sleeps 600000"]);
  });
});
