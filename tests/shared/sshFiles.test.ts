import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forgetMachine, removeSshFiles, sshFilesOf, writeSshFile } from "../../provider/shared/sshFiles";
import { aliasPrefix, hostsOf, writeHost } from "../../provider/shared/sshHosts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gpufleet-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const files = (stack = "dev") => sshFilesOf({ organization: "organization", project: "demo", stack }, home);
const config = () => join(home, ".ssh", "config");
const include = () => `Include ${home}/.ssh/gpufleet/*.conf`;
const machine = (id: string) => ({
  name: `train-${id}`,
  type: "VmRental",
  id,
  ssh: [{ host: `10.0.0.${id}`, port: 22, user: "ubuntu" }],
});
const text = (...ids: string[]) =>
  `# Hosts of demo/dev.\n\n${ids.flatMap((id) => hostsOf(machine(id)).map((host) => writeHost(host))).join("\n")}`;
const modeOf = (file: string) => statSync(file).mode & 0o777;

describe("The ssh files of a stack", () => {
  test("are named after it, and no two stacks share one", () => {
    expect(files().config).toBe(join(home, ".ssh", "gpufleet", "demo+dev.conf"));
    expect(sshFilesOf({ organization: "acme", project: "a", stack: "b" }, home).config).toMatch(/acme\+a\+b\.conf$/);
    const names = [
      ["a-b", "c"],
      ["a", "b-c"],
    ].map(([project = "", stack = ""]) => sshFilesOf({ organization: "", project, stack }, home).config);
    expect(new Set(names).size).toBe(2);
  });

  test("are nobody else's to read, and included once, at the top", () => {
    mkdirSync(join(home, ".ssh"), { mode: 0o700 });
    writeFileSync(config(), "Host mine\n  User me\n", { mode: 0o644 });
    writeSshFile(files(), text("1"));
    writeSshFile(files(), text("1", "2"));
    writeSshFile(files("prod"), text("3"));
    expect(readFileSync(config(), "utf8")).toBe(`${include()}\n\nHost mine\n  User me\n`);
    expect([modeOf(join(home, ".ssh", "gpufleet")), modeOf(files().config), modeOf(config())]).toEqual([
      0o700, 0o600, 0o644,
    ]);
  });

  test("leave with the last stack, and the user's own settings are as before", () => {
    mkdirSync(join(home, ".ssh"), { mode: 0o700 });
    writeFileSync(config(), "Host mine\n  User me\n");
    writeSshFile(files(), text("1"));
    writeSshFile(files("prod"), text("3"));
    expect(removeSshFiles(files())).toBe(true);
    expect(readFileSync(config(), "utf8")).toContain(include());
    expect(removeSshFiles(files("prod"))).toBe(true);
    expect(removeSshFiles(files("prod"))).toBe(false);
    expect(readFileSync(config(), "utf8")).toBe("Host mine\n  User me\n");
    expect(existsSync(join(home, ".ssh", "gpufleet"))).toBe(false);
  });

  test("lose what belongs to a machine that has ended, the last one everything", () => {
    writeSshFile(files(), text("1", "11"));
    writeFileSync(
      files().knownHosts,
      "gpufleet-vmrental-1-10.0.0.1-22 ssh-ed25519 A\ngpufleet-vmrental-11-10.0.0.11-22 ssh-ed25519 B\n",
    );
    forgetMachine(files(), aliasPrefix({ type: "VmRental", id: "1" }));
    expect(readFileSync(files().config, "utf8")).toBe(text("11"));
    expect(readFileSync(files().knownHosts, "utf8")).toBe("gpufleet-vmrental-11-10.0.0.11-22 ssh-ed25519 B\n");
    forgetMachine(files(), aliasPrefix({ type: "VmRental", id: "7" }));
    forgetMachine(files(), aliasPrefix({ type: "VmRental", id: "11" }));
    expect([existsSync(files().config), existsSync(config()), existsSync(join(home, ".ssh", "gpufleet"))]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("leave a linked configuration linked", () => {
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, "dotfile"), "");
    symlinkSync(join(home, "dotfile"), config());
    writeSshFile(files(), text("1"));
    expect(readFileSync(join(home, "dotfile"), "utf8")).toBe(`${include()}\n`);
  });
});
