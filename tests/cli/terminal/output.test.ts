import { fitForTerminal, keepSecret, keepValues, withoutKeys } from "../../../cli/terminal";

describe("What a command writes", () => {
  const { GPUFLEET_API_KEY } = process.env;

  afterEach(() => {
    if (GPUFLEET_API_KEY === undefined) delete process.env["GPUFLEET_API_KEY"];
    else process.env["GPUFLEET_API_KEY"] = GPUFLEET_API_KEY;
  });

  test("has neither the key of the environment nor one that was read, in whatever form", () => {
    process.env["GPUFLEET_API_KEY"] = "key-one-77\n";
    keepSecret("key/two=88");
    const text = `key-one-77 key/two=88 key%2Ftwo%3D88 ${Buffer.from("key-one-77").toString("base64")}`;
    expect(withoutKeys(text)).toBe("[redacted] [redacted] [redacted] [redacted]");
  });

  test("has no value that was decrypted, but whole URNs, and no word is taken out of a sentence", () => {
    keepValues("my-train", "hush", "abc", "is");
    expect(withoutKeys('rental "my-train" is listed: urn:pulumi:dev::fleet::a:b:C::my-train')).toBe(
      'rental "[redacted]" is listed: urn:pulumi:dev::fleet::a:b:C::my-train',
    );
    expect(withoutKeys('rental "hush" in a hush: "abc"')).toBe('rental "[redacted]" in a hush: "abc"');
  });

  test("steers no terminal, whatever a name has in it, and keeps its own styles and lines", () => {
    const evil = "a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\u202ee\rf";
    expect(fitForTerminal(`\u001b[31m${evil}\u001b[39m\n\tend`)).toBe(
      "\u001b[31ma]0;titleb[2Jc31mdef\u001b[39m\n\tend",
    );
  });

  test("keeps a name that is the same word as the key of an emulator", () => {
    process.env["GPUFLEET_API_KEY"] = "emulator";
    expect(withoutKeys("gpufleet emulator, key=emulator")).toBe("gpufleet emulator, key=[redacted]");
  });
});
