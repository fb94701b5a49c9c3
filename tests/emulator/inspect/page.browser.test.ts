import { type Browser, chromium, type Page } from "playwright-core";
import { z } from "zod";
import { operations } from "../../../provider/service";
import { describeWith } from "../../requirements";
import { createRig, paths, type Rig } from "../rig";
import { typed } from "../typed";

const phone = { width: 360, height: 740 };
const desktop = { width: 1200, height: 800 };

// What runs in the browser is text here: it knows another world than the one that these types describe.

/** The contrast between the text of the first such element and what is behind it. */
const contrastOf = `(selector) => {
  const element = document.querySelector(selector);
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (channel) => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((channel) => linear(channel / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  let behind = element;
  while (channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const colors = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor];
  const [dark, light] = colors.map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}`;

const sizeOf = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  return [bitmap.width, bitmap.height];
}`;

const soundOf = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const decoded = await new OfflineAudioContext(1, 1, 32000).decodeAudioData(bytes.buffer);
  const loudest = decoded.getChannelData(0).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return { seconds: decoded.duration, loudest };
}`;

describeWith("browser", "the page for people", (executablePath) => {
  let browser: Browser;
  let rig: Rig;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  }, 60_000);
  afterAll(() => browser.close());

  beforeEach(async () => {
    rig = createRig({ balance: 1000, ssh: false });
    const { url } = await rig.emulator.listen();
    page = await browser.newPage({ viewport: desktop });
    problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith("data:")) problems.push(`asked ${request.url()}`);
    });
    await page.goto(url);
  });
  afterEach(async () => {
    await page.close();
    await rig.emulator.close();
  });

  const inBrowser = (source: string, value: unknown): Promise<unknown> =>
    page.evaluate(`(${source})(${JSON.stringify(value)})`);
  const figures = () => page.locator("#figures dd").allInnerTexts();
  const rows = () => page.locator("tbody tr").allInnerTexts();
  const shown = (text: string) => page.getByText(text, { exact: true }).first().waitFor({ timeout: 15_000 });

  test("says that nothing is billed when nothing is", async () => {
    await shown("Nothing is running, nothing is billed.");
    expect(await figures()).toEqual(["0", "$0.00", "$0.00", "$1,000.00"]);
    expect(problems).toEqual([]);
  });

  test("shows what runs, since when and what it costs, and follows by itself", async () => {
    const { createBareMetal, createVolume, endBareMetal } = typed(rig);
    const { id } = await createBareMetal({ label: "train-a" });
    await createVolume({ label: "datasets", sizeInGb: 1024 });
    await shown("train-a");
    await shown("Pending");
    rig.emulator.clock.advance(2 * 3600);
    await shown("Running");
    expect((await rows()).map((row) => row.split(/\s*[\n\t]+\s*/).filter(Boolean))).toEqual([
      ["train-a", `Bare metal · ${id} · 8×h100 · us-central-1`, "Running", "2 h 0 min", "$19.92/h", "$39.84 so far"],
      ["datasets", "Storage volume · 1 · 1024 GB · us-central-1", "active", "2 h 0 min", "$0.10/h", "$0.20 so far"],
    ]);
    expect(await figures()).toEqual(["2", "$20.02", "$40.04", "$959.96"]);
    await endBareMetal(id);
    rig.emulator.clock.advance(60);
    await page.getByText("train-a", { exact: true }).waitFor({ state: "detached", timeout: 15_000 });
    expect(problems).toEqual([]);
  });

  test("names what has no label by its id, once, and says where clients see no price", async () => {
    const { listMachines, createInstance, createVm } = typed(rig);
    const [machine] = await listMachines();
    const { instanceId } = await createInstance({
      cluster_name: machine?.cluster_name,
      node_name: machine?.id,
      gpu_count: 1,
    });
    await createVm({ label: "dev" });
    await shown(instanceId);
    const texts = await rows();
    expect(texts.join("\n").split(instanceId)).toHaveLength(2);
    expect(texts.find((text) => text.startsWith("dev"))).toMatch(/\$2\.49\/h\n\$0\.00 so far · not shown to clients$/);
  });

  test("shows requests as they come, the latest first, with what a fault did to them", async () => {
    await shown("No requests yet.");
    await rig.call("GET", paths.balance);
    rig.emulator.faults.add({ match: { method: "GET", path: paths.vm }, kind: "status", status: 503 });
    await rig.call("GET", paths.vm);
    await shown(paths.vm);
    const lines = (await page.locator("#requests li").allInnerTexts()).map((line) => line.replace(/\s+/g, " "));
    expect(lines).toEqual([
      expect.stringMatching(`^13:59:00 GET ${paths.vm} 503 · fault: status · \\d+ ms$`),
      expect.stringMatching(`^13:59:00 GET ${paths.balance} 200 · \\d+ ms$`),
    ]);
    await shown("2 requests");
    expect(problems).toEqual([]);
  });

  test("sets faults of every kind, and clears them", async () => {
    const target = page.locator("#fault-target");
    await target.locator("option", { hasText: "createVmRental" }).waitFor({ state: "attached" });
    const kinds = await page.locator("#fault-kind option").allInnerTexts();
    expect(kinds).toContain("fail-provisioning");
    await target.selectOption(`POST ${paths.vm}`);
    await page.getByLabel("From request").fill("2");
    for (const kind of kinds) {
      await page.getByLabel("Kind").selectOption(kind);
      await page.getByRole("button", { name: "Set fault" }).click();
      await shown(`${kind}: POST ${paths.vm}, once, after 1 more`);
      await shown("The fault is set.");
    }
    await page.getByRole("button", { name: "Clear faults" }).click();
    await shown("All faults are cleared.");
    expect(await page.locator("#waiting li").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("says why a fault is refused", async () => {
    await page.locator("#fault-kind option").first().waitFor({ state: "attached" });
    await page.getByRole("textbox", { name: "Status" }).fill("99");
    await page.getByRole("button", { name: "Set fault" }).click();
    await page.getByText(/status: .*200/).waitFor();
    expect(await page.locator("#message").getAttribute("class")).toBe("bad");
  });

  test("advances the clock", async () => {
    const { id } = await typed(rig).createBareMetal({ label: "train-a" });
    await shown("Pending");
    await page.getByLabel("Advance by").fill("2");
    await page.getByLabel("Unit").selectOption("hours");
    await page.getByRole("button", { name: "Advance" }).click();
    await shown("2026-09-12 15:59:00 UTC");
    await shown("Running");
    expect(typed(rig).statusOf(id)).toBe("Running");
  });

  test("removes everything, after asking", async () => {
    await typed(rig).createBareMetal({ label: "train-a" });
    await shown("train-a");
    page.once("dialog", (dialog) => dialog.dismiss());
    await page.getByRole("button", { name: "Remove everything" }).click();
    expect(rig.emulator.state()).toHaveLength(1);
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Remove everything" }).click();
    await shown("Nothing is running, nothing is billed.");
    await shown("Everything was removed.");
    expect(rig.emulator.state()).toEqual([]);
  });

  test("has a link to each machine, which also opens by its address and shows one that has ended", async () => {
    const { createBareMetal, endBareMetal } = typed(rig);
    const { id } = await createBareMetal({ label: "train-a" });
    await page.getByRole("link", { name: "train-a" }).click();
    const panel = page.locator("#machine");
    await panel.getByText("8×h100").waitFor();
    expect(new URL(page.url()).hash).toBe(`#bare-metal/${id}`);
    expect((await panel.innerText()).split(/\n+/)).toEqual(
      expect.arrayContaining(["train-a", "Region", "us-central-1", "Created", "2026-09-12 13:59:00 UTC", "$19.92/h"]),
    );
    await endBareMetal(id);
    rig.emulator.clock.advance(60);
    await page.reload();
    await panel.getByText("Terminated").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await panel.waitFor({ state: "hidden" });
    await page.goto(`${new URL(page.url()).origin}/#bare-metal/1`);
    await page.reload();
    await shown("There is no bare metal 1");
    // The browser reports the 404 that this is about.
    expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
  });

  test("keeps the focus where it is while the figures change", async () => {
    await typed(rig).createBareMetal({ label: "train-a" });
    const link = page.getByRole("link", { name: "train-a" });
    await link.focus();
    rig.emulator.clock.advance(3600);
    await shown("1 h 0 min");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("train-a");
  });

  test("shows a label as text, whatever it says", async () => {
    const label = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await typed(rig).createBareMetal({ label });
    await shown(label);
    expect(await page.locator("tbody img, tbody script").count()).toBe(0);
    expect(await page.title()).toBe("gpufleet emulator");
    expect(problems).toEqual([]);
  });

  test("says when the emulator is gone, and comes back with it", async () => {
    await shown("live");
    await page.route("**/_emulator/overview", (route) => route.abort());
    await shown("no connection, retrying");
    expect(await page.locator("main").getAttribute("class")).toBe("stale");
    await page.unroute("**/_emulator/overview");
    await shown("live");
  });

  test.each(["light", "dark"] as const)("fits a phone and can be read, %s", async (colorScheme) => {
    await page.setViewportSize(phone);
    await page.emulateMedia({ colorScheme });
    const { createBareMetal, createVm } = typed(rig);
    await createBareMetal({ label: "a-very-long-label-without-any-place-to-break-it-".repeat(3) });
    await createVm({ label: "dev" });
    await shown("dev");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.width);
    // WCAG AA asks for 4.5 between a text and what is behind it.
    for (const selector of [
      ".name",
      ".sub",
      ".status",
      "dt",
      "dd",
      "h1",
      "#live",
      ".outcome",
      "label",
      "button",
      ".danger",
    ]) {
      const contrast = await inBrowser(contrastOf, selector);
      expect([selector, contrast, Number(contrast) >= 4.5]).toEqual([selector, expect.any(Number), true]);
    }
  });

  test("a browser draws the images and plays the speech of inference", async () => {
    const drawn = operations.generateImage.response.parse(
      await rig.ok("POST", "/v1/image/generation", { prompt: "a cat", width: 320, height: 200 }),
    );
    const spoken = operations.generateAudio.response.parse(
      await rig.ok("POST", "/v1/audio/generation", { text: "one two three" }),
    );
    await page.goto("about:blank");
    expect(await inBrowser(sizeOf, drawn.images[0]?.image)).toEqual([320, 200]);
    const sound = z.object({ seconds: z.number(), loudest: z.number() }).parse(await inBrowser(soundOf, spoken.audio));
    expect(sound.seconds).toBeGreaterThan(0.6);
    expect(sound.seconds).toBeLessThan(1);
    expect(sound.loudest).toBeGreaterThan(0.05);
    expect(sound.loudest).toBeLessThan(1);
  });
});

test("the page allows no script but its own and nothing from elsewhere", async () => {
  const { call } = createRig();
  const { headers, text } = await call("GET", "/");
  expect(headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; /,
  );
  const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, file]) => file ?? "");
  expect(files).toEqual(["/_emulator/page/page.css", "/_emulator/page/page.js"]);
  for (const file of files) {
    expect(await call("GET", file, undefined, { authorization: "" })).toMatchObject({
      status: 200,
      headers: { "x-content-type-options": "nosniff" },
    });
  }
  for (const file of ["index.ts", "index.js", "..%2Frow.js", "toString"]) {
    expect((await call("GET", `/_emulator/page/${file}`)).status).toBe(404);
  }
});
