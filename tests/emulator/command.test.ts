import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { defaults } from "../../emulator";
import { Child, compileCommand } from "./childProcess";
import { paths } from "./rig";

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")));
const { script, dispose } = compileCommand();
afterAll(dispose);

describe("gpufleet", () => {
  const run = (...args: string[]) => new Child(script, args).finished();

  test.each(["-V", "--version"])("%s prints the version of the package", async (flag) => {
    expect(await run(flag)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("without a command shows what there is, and says that something is missing by its exit code", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("emulator [options]");
  });

  test("does not know a command that there is not", async () => {
    expect(await run("frobnicate")).toMatchObject({ code: 1, stderr: "error: unknown command 'frobnicate'\n" });
  });
});

describe("gpufleet emulator", () => {
  const children: Child[] = [];
  const start = (...args: string[]) => {
    const child = new Child(script, ["emulator", ...args]);
    children.push(child);
    return child;
  };
  afterAll(async () => {
    await Promise.all(children.map((child) => child.kill("SIGKILL")));
  });

  test("says in one line where it listens, answers there, and ends in peace on SIGTERM and SIGINT", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const child = start("--port", "0");
      const url = await child.listening();
      const answer = await fetch(`${url}${paths.bareMetal}`, { headers: { authorization: "Bearer emulator-key" } });
      expect(await answer.json()).toEqual([]);
      expect(await child.kill(signal)).toEqual({
        code: 0,
        stdout: `gpufleet emulator listening on ${url}\n`,
        stderr: "",
      });
    }
  });

  test("serves its page with its style and all its scripts", async () => {
    const url = await start("--no-ssh").listening();
    const page = await (await fetch(url)).text();
    expect(page).toContain("<title>gpufleet emulator</title>");
    const files = [...page.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, file]) => file);
    expect(files).toHaveLength(2);
    for (const file of files) {
      const source = await (await fetch(`${url}${file}`)).text();
      const imported = [...source.matchAll(/from "\.\/([a-z]+\.js)"/g)].map(([, name]) => `/_emulator/page/${name}`);
      for (const other of [file, ...imported]) expect(await fetch(`${url}${other}`)).toMatchObject({ status: 200 });
    }
  });

  test("takes its settings from flags", async () => {
    const flags = ["--api-key", "k", "--provision-seconds", "0", "--dialect", "rich", "--capacity", "8", "--no-ssh"];
    const url = await start(...flags, "--end-seconds", "0.5", "--seed", "3", "--balance", "100").listening();
    const send = (body: object) =>
      fetch(`${url}${paths.vm}`, {
        method: "POST",
        headers: { authorization: "Bearer k" },
        body: JSON.stringify(body),
      });
    expect(await (await send({ gpuCount: 8 })).json()).toMatchObject({
      status: "Running",
      providerData: { sshNetworking: [{ host: "machine-1001.invalid", port: 22 }] },
    });
    expect(await (await send({ gpuCount: 1 })).json()).toEqual({
      message: "no capacity for 1×h100 in us-central-1",
      error_code: "BAD_REQUEST",
    });
  });

  test.each([
    [["--port", "x"], "'--port <number>' argument 'x' is invalid. It must be a whole number from 0 to 65535."],
    [["--port", "65536"], "'--port <number>' argument '65536' is invalid. It must be a whole number from 0 to 65535."],
    [["--end-seconds", "-1"], "'--end-seconds <seconds>' argument '-1' is invalid. It must be a number, 0 or more."],
    [["--dialect", "klingon"], "'--dialect <name>' argument 'klingon' is invalid. Allowed choices are default, "],
    [["--frobnicate"], "unknown option '--frobnicate'"],
  ])("refuses %j and says why", async (args, message) => {
    const { code, stdout, stderr } = await start(...args).finished();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("says so when the port is taken", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve, reject) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        if (typeof address === "object" && address) resolve(address.port);
        else reject(new Error("no address"));
      });
    });
    const { code, stderr } = await start("--port", String(port)).finished();
    server.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `gpufleet: cannot listen on port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    );
  });

  test("shows its defaults in the help, without loading the emulator", async () => {
    const probe = `process.on("exit", () => {
      const loaded = Object.keys(require.cache).filter((file) => /node_modules.(hono|zod|undici)/.test(file));
      if (loaded.length > 0) process.exitCode = 99;
    });`;
    const preload = `data:text/javascript,${encodeURIComponent(
      `import { createRequire } from "node:module"; const require = createRequire(${JSON.stringify(script)}); ${probe}`,
    )}`;
    const probed = (args: string[], ...more: string[]) =>
      new Child(script, args, ["--import", preload, ...more]).finished();
    // The probe does notice.
    expect(await probed(["emulator", "--help"], "--require", require.resolve("zod"))).toMatchObject({ code: 99 });
    const { code, stdout } = await probed(["emulator", "--help"]);
    expect(code).toBe(0);
    const unwrapped = stdout.replace(/\s+/g, " ");
    expect(unwrapped).toContain(`time until a new resource is ready (default: ${defaults.provisionSeconds})`);
    expect(unwrapped).toContain(`API key that clients must send (default: "${defaults.apiKey}")`);
  });
});
