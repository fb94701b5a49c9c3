import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { z } from "zod";
import { summarizeCost } from "../../../../cli/account/summarizeCost";
import { writeReport } from "../../../../cli/commands/report/write";
import type { State } from "../../../../cli/stack";
import { goldenFolder } from "../../../golden/makeGolden";
import { describeWith } from "../../../requirements";
import { type Account, openAccount } from "../../account/openAccount";
import { stateOf } from "../../account/stateOf";

const made = Date.UTC(2026, 0, 1);
/** Runs in the page: how far the colour of some texts is from what they stand on, by the formula of WCAG. */
const measureContrasts = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 && element.parentElement ? ground(element.parentElement) : color;
  };
  return ["h1", "dd", "dt", ".soft", ".name", ".status", ".alert li", ".number", ".unpriced h2", ".unpriced p", "td .wait"].map((selector) => {
    const element = document.querySelector(selector);
    const [one, other] = [getComputedStyle(element).color, ground(element)].map(light);
    return { selector, contrast: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) };
  });
})()`;

const hostile = '<img src=x onerror="document.title=1">';

describeWith("browser", "gpufleet report --html, in a browser", (executablePath) => {
  let account: Account;
  let browser: Browser;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    account = await openAccount({ clock: { now: () => made } });
    account.now = made + 3_600_000;
    const { client } = account.runtime;
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label: hostile });
    await client.createBareMetalRental({
      gpuCount: 16,
      networkType: "infiniband",
      gpuType: "h200",
      region: "eu-west-3",
    });
    await client.createVmRental({ gpuCount: 1, label: "by-hand" });
    const situation = await account.situation();
    const own = situation.others
      .filter(({ type }) => type === "BareMetalRental")
      .map((one) => ({ ...one, urn: "urn" }));
    const others = situation.others.filter(({ type }) => type !== "BareMetalRental");
    const preview = join(goldenFolder, "volume-loss", "preview.json");
    folder = mkdtempSync(join(tmpdir(), "gpufleet-report-"));
    file = join(folder, "report.html");
    const now = made + 3_600_000;
    const shown = { ...situation, own, others };
    const cost = summarizeCost(shown, { balance: 1000, gaps: [] });
    writeFileSync(file, await writeReport([shown], { cost, preview, now }));
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });

  afterAll(async () => {
    await browser?.close();
    await account.close();
    rmSync(folder, { recursive: true });
  });

  interface Looked {
    page: Page;
    /** Whatever the page asked for besides itself, and what the browser complained of. */
    complaints: string[];
  }

  async function look(width: number, colorScheme: "light" | "dark"): Promise<Looked> {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) complaints.push(request.url());
    });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`file://${file}`);
    return { page, complaints };
  }

  test("shows the fleet, each machine, its cost and what a preview would change, and fetches nothing", async () => {
    const { page, complaints } = await look(1100, "light");
    const text = await page.innerText("body");
    expect(await page.title()).toBe("fleet/dev: GPU fleet");
    expect(text).toContain("Per hour\n$72.56");
    expect(text).toContain("Spent so far\n$72.56");
    expect(text).toContain("24\n2 billable resources");
    expect(text).toContain("at most 13 h at $72.56/h");
    expect(await page.locator(".bars li").allInnerTexts()).toEqual([
      expect.stringMatching(/^h200 eu-west-3\s+16 GPUs \$52\.64\/h$/),
      expect.stringMatching(/^h100 us-central-1\s+8 GPUs \$19\.92\/h$/),
    ]);
    expect(text).toContain('replaces volume "data", 2048 GB: its contents are lost');
    expect(text).toContain("sizeInGb: 2048 → 4096");
    expect(text).toContain("by-hand");
    expect(complaints).toEqual([]);
  });

  test("takes names for text, whatever they are", async () => {
    const { page } = await look(1100, "light");
    expect(await page.innerText(".machines tbody tr:last-child .name")).toBe(hostile);
    expect(await page.locator("img, script").count()).toBe(0);
  });

  test("shows longer bars for more GPUs", async () => {
    const { page } = await look(1100, "light");
    const boxes = await Promise.all((await page.locator(".fill").all()).map((bar) => bar.boundingBox()));
    const widths = boxes.map((box) => box?.width ?? 0);
    expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(2, 1);
  });

  test.each(["light", "dark"] as const)("can be read in %s: text stands out from its ground", async (scheme) => {
    const { page } = await look(1100, scheme);
    const contrasts = z
      .array(z.object({ selector: z.string(), contrast: z.number() }))
      .parse(await page.evaluate(measureContrasts));
    // WCAG AA for text.
    expect(contrasts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
    const paper = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(paper).toBe(scheme === "dark" ? "rgb(18, 22, 20)" : "rgb(246, 247, 245)");
  });

  test("fits on a phone: nothing is wider than the screen", async () => {
    const { page } = await look(360, "light");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    const outside = await page.evaluate(
      "[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth).length",
    );
    expect(outside).toBe(0);
  });

  test("warns of unknown prices before any sum", async () => {
    const { page } = await look(1100, "light");
    expect(await page.innerText(".unpriced")).toBe(
      "1 resource has no known price\n\n" +
        "by-hand (1×h100). It is billed, and no sum on this page includes it. gpufleet prices --book prints a price book to fill in.",
    );
  });
});

describe("gpufleet report --html", () => {
  const words = (html: string) =>
    html
      .slice(html.indexOf("<body>"))
      .replace(/<[^>]*>/g, "\n")
      .split(/\s*\n\s*/)
      .filter(Boolean);

  async function report(fill: (account: Account) => Promise<unknown>, balance: number | undefined = 1000) {
    const account = await openAccount({ clock: { now: () => made } });
    try {
      await fill(account);
      const situation = await account.situation();
      const shown = { ...situation, own: situation.others.map((one) => ({ ...one, urn: "urn" })), others: [] };
      const now = made + 3_600_000;
      const cost = summarizeCost(shown, { balance, gaps: [] });
      return await writeReport([shown], { cost, preview: undefined, now });
    } finally {
      await account.close();
    }
  }

  test("has no empty section where nothing runs, and no hint of what could be there", async () => {
    const html = await report(async () => {});
    expect(words(html)).toEqual([
      "fleet/dev",
      "GPU fleet on",
      "2026-01-01 01:00 UTC",
      "Balance",
      "$1,000.00",
      "nothing is billed",
      "Nothing runs in this stack, and nothing else in the account.",
    ]);
    expect(html).not.toMatch(/https?:\/\//);
  });

  test("does not say that nothing runs where a list could not be read", async () => {
    const html = await report(async ({ emulator }) => {
      const path = "/v2/alpha/on-demand/bare-metal-rentals";
      emulator.faults.add({ match: { method: "GET", path }, kind: "status", status: 403, times: 9 });
    });
    const text = words(html);
    expect(text).toContainEqual(
      expect.stringMatching(/^Not included, because it could not be read: bare-metal rentals: .*403/),
    );
    expect(text).toContain("nothing that could be read is billed");
    expect(text).toContain("Nothing that could be read runs in this stack, and nothing else in the account.");
  });

  test("says that prices are unknown, never zero, while machines run", async () => {
    const html = await report(async ({ runtime: { client } }) => {
      await client.createVmRental({ gpuCount: 1, label: "login" });
      await client.createVmRental({ gpuCount: 2, label: "dev" });
    });
    expect(words(html)).toEqual(
      expect.arrayContaining([
        "2 resources have no known price",
        "dev (2×h100), login (1×h100). They are billed, and no sum on this page includes them.",
        "no price is known",
        "how long it lasts is unknown",
        "price unknown",
      ]),
    );
    expect(html).not.toMatch(/\$0\.00|nothing is billed/);
  });

  test("speaks of one machine in the singular", async () => {
    const html = await report(({ runtime: { client } }) => client.createVmRental({ gpuCount: 1, label: "login" }));
    expect(words(html)).toEqual(
      expect.arrayContaining([
        "GPU",
        "1",
        "1 billable resource",
        "1 GPU",
        "1 resource · price unknown",
        "no price is known",
      ]),
    );
    expect(html).not.toMatch(/\b1 (GPUs|resources|billable resources)\b/);
  });

  test("counts the GPUs of what could not be asked, as it counts their price", async () => {
    const account = await openAccount({ clock: { now: () => made } });
    try {
      const { id } = await account.runtime.client.createVmRental({ gpuCount: 1 });
      const facts = { gpuType: "h100", region: "us-central-1", status: "Running" };
      const situation = await account.situation(
        stateOf(
          { name: "train", type: "BareMetalRental", id: 999, outputs: { ...facts, gpuCount: 8, costPerHour: 19.92 } },
          { name: "login", type: "VmRental", id, outputs: { ...facts, gpuCount: 1, costPerHour: 2.49 } },
        ),
      );
      const unseen = situation.unseen.map((one) => ({ ...one, isGone: false }));
      const shown = { ...situation, unseen };
      const cost = summarizeCost(shown, { balance: 1000, gaps: [] });
      const text = words(await writeReport([shown], { cost, preview: undefined, now: made }));
      expect(text.slice(text.indexOf("GPUs"))).toEqual(
        expect.arrayContaining(["GPUs", "9", "2 billable resources", "Per hour", "$22.41", "9 GPUs"]),
      );
    } finally {
      await account.close();
    }
  });

  describe("--preview, of a preview that does not show what stays,", () => {
    async function planned(state?: State) {
      const account = await openAccount({ clock: { now: () => made } });
      try {
        await account.runtime.client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
        const situation = await account.situation(state);
        const cost = summarizeCost(situation, { balance: 1000, gaps: [] });
        const preview = join(goldenFolder, "without-sames", "preview.json");
        return await writeReport([situation], { cost, preview, now: made });
      } finally {
        await account.close();
      }
    }

    test("gives no total without it", async () => {
      expect(await planned()).toContain("≈ $19.92/h without 7 unchanged resources that the preview does not show.</p>");
    });

    test("takes it from the state", async () => {
      const names = Array.from({ length: 7 }, (_, index) => `kept-${index}`);
      const outputs = { gpuType: "h100", gpuCount: 8, costPerHour: 10 };
      const state = stateOf(...names.map((name, id) => ({ name, type: "BareMetalRental", id, outputs })));
      expect(await planned(state)).toContain("≈ $89.92/h in total.</p>");
    });
  });

  test("folds the rest of a large fleet, with what has failed at the top", async () => {
    const html = await report(async ({ emulator, runtime: { client } }) => {
      const rent = (label: string) => client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label });
      for (let index = 0; index < 39; index += 1) await rent(`node-${index}`);
      emulator.faults.add({
        match: { method: "POST", path: "/v2/alpha/on-demand/bare-metal-rentals" },
        kind: "fail-provisioning",
      });
      await rent("node-39");
    });
    const text = words(html);
    expect(text).toContain("40 resources · 1 Failed · $796.80/h");
    expect(text).toContain("20 more");
    expect(text[text.indexOf("Resource") + 4]).toBe("node-39");
  });
});
