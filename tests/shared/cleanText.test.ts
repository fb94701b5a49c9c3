import { cleanText, redactValues } from "../../provider/shared/cleanText";

const secret = "sk-Abc/123+xyz=&q";

describe("cleanText", () => {
  test("keeps ordinary text as it is", () => {
    expect(cleanText("région us-central-1 is disabled — 日本語 👍")).toBe(
      "région us-central-1 is disabled — 日本語 👍",
    );
  });

  test("makes one line of several, and one space of many", () => {
    expect(cleanText(" a\r\n\tb\u2028c\u2029d  e ")).toBe("a b c d e");
  });

  test.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["a hyperlink", "\u001b]8;;http://evil\u0007click\u001b]8;;\u0007", "click"],
    ["C0 characters", "a\u0000b\u0008c\u007fd", "abcd"],
    ["C1 characters", "a\u009b31mb\u0085c", "abc"],
    ["bidirectional overrides", "a\u202eb\u2066c\u200fd", "abcd"],
    ["invisible characters", "a\u200bb\ufeffc\u00add", "abcd"],
    ["half a character", "a\ud800b", "a\ufffdb"],
  ])("takes out %s", (_, given, expected) => {
    expect(cleanText(given)).toBe(expected);
  });

  test("cuts at the length asked for, and not through a character", () => {
    expect(cleanText("x".repeat(1000))).toHaveLength(500);
    expect(cleanText("abcdef", { max: 4 })).toBe("abc…");
    expect(cleanText("ab👍def", { max: 4 })).toBe("ab…");
  });

  test.each([
    ["as it is", secret],
    ["percent-encoded", encodeURIComponent(secret)],
    ["percent-encoded in lower case", encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase())],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in base64url", Buffer.from(secret).toString("base64url")],
    ["in hexadecimal", Buffer.from(secret).toString("hex")],
    ["with a control character inside", `${secret.slice(0, 5)}\u0007${secret.slice(5)}`],
    ["with an escape sequence inside", `${secret.slice(0, 5)}\u001b[0m${secret.slice(5)}`],
    ["with an invisible character inside", `${secret.slice(0, 5)}\u200b${secret.slice(5)}`],
  ])("takes a secret out %s", (_, form) => {
    const cleaned = cleanText(`refused: ${form} is no good`, { secrets: [secret] });
    expect(cleaned).toMatch(/^refused: \[redacted\] is no good$/);
  });

  test.each(["u:", "user:", "a-user:"])("takes a secret out of the base64 of %s and it", (user) => {
    const whole = Buffer.from(`${user}${secret}`).toString("base64");
    const cleaned = cleanText(`header ${whole}`, { secrets: [secret] });
    expect(cleaned).toContain("[redacted]");
    const rest = Buffer.from(cleaned.replace("header ", "").split("[redacted]")[0] ?? "", "base64").toString();
    expect(rest).not.toContain(secret.slice(0, 3));
  });

  test("a cut does not leave part of a secret", () => {
    const cleaned = cleanText(`${"x".repeat(490)}${secret}`, { secrets: [secret] });
    expect(cleaned).not.toContain(secret.slice(0, 4));
  });

  test("a secret too short to be one does not eat the text", () => {
    expect(cleanText("a banana", { secrets: ["a", ""] })).toBe("a banana");
  });

  describe("of text that is partly ours", () => {
    const clean = (text: string, key: string) => cleanText(text, { secrets: [key], hasOwnWords: true });

    test.each([
      ["emulator", "Start it with `gpufleet emulator`, or check GPUFLEET_BASE_URL."],
      ["running", "Is the emulator running?"],
      ["Pending", "Pending 3m10s, 8×h100"],
      ["BILLING", "BILLING goes on"],
      ["belongs", "the API key belongs to another account"],
    ])("keeps the word %j, although it is the key", (key, text) => {
      expect(clean(text, key)).toBe(text);
    });

    test.each([
      "Authorization: Bearer emulator",
      "bearer 'emulator' is no good",
      "x-api-key: emulator",
      '{"apiKey": "emulator"}',
      "?token=emulator&x=1",
    ])("takes such a key out of %j, where it is a credential", (text) => {
      expect(clean(text, "emulator")).toBe(text.replace("emulator", "[redacted]"));
    });

    test.each(["emulator-key", "sk1234", "abcdefghijklmnop", "aBcDeF"])(
      "takes %j out everywhere, which is no word",
      (key) => {
        expect(clean(`the status ${key}x is unknown`, key)).toBe("the status [redacted]x is unknown");
      },
    );
  });
});

describe("A value that a state keeps secret", () => {
  const value = "acme-merger-2027";

  test.each([
    ["as it is", `rental 7 "${value}" runs`, 'rental 7 "[redacted]" runs'],
    ["in capitals", 'rental 7 "ACME-MERGER-2027" runs', 'rental 7 "[redacted]" runs'],
    ["with other separators", 'rental 7 "acme_merger 2027" runs', 'rental 7 "[redacted]" runs'],
    ["without any", "rental 7 Acmemerger2027 runs", "rental 7 [redacted] runs"],
    ["with something around it", 'rental 7 "org-acmeMerger2027-1" runs', 'rental 7 "org-[redacted]-1" runs'],
    ["cut", 'rental 7 "acme-merger-" and "acme-merger-20"', 'rental 7 "acme-merger-" and "[redacted]"'],
    ["twice in one", "acme-acme-acme-merger-2027", "acme-acme-[redacted]"],
    ["of which only words are left", "the acme merger of 2027", "the acme merger of 2027"],
    [
      "in a URN",
      "urn:pulumi:a::b::c::ACME-MERGER-2027 ACME-MERGER-2027",
      "urn:pulumi:a::b::c::ACME-MERGER-2027 [redacted]",
    ],
  ])("goes (%s)", (_, text, clean) => {
    expect(redactValues(text, [value])).toBe(clean);
  });

  test.each([
    ["abc", "abc ABC a-b-c"],
    ["a--b", "a b, A_B and aabb"],
    ["a-100", "schema 100, a 1000"],
    ["train", "trains, TRAIN and 'train'"],
    ["----", "nothing at all"],
  ])("takes nothing else with it where it is short (%j)", (short, text) => {
    expect(redactValues(text, [short])).toBe(text);
  });

  test("goes where it is short, too, and stands by itself", () => {
    expect(redactValues('"NODE_1", node 1 and node10', ["node-1"])).toBe('"[redacted]", [redacted] and node10');
    expect(redactValues('"TRAIN" and "train"', ["train"])).toBe('"[redacted]" and "[redacted]"');
  });

  test("is looked for in a time that grows no faster than the text", () => {
    const long = `${"ab".repeat(20_000)}-c`;
    const begin = process.cpuUsage();
    redactValues("ab ".repeat(100_000), [long, "ab".repeat(500)]);
    expect(process.cpuUsage(begin).user).toBeLessThan(5_000_000);
  });
});
