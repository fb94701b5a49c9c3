import { withoutAddressCredentials } from "../../provider/shared/addressCredentials";
import { cleanText } from "../../provider/shared/cleanText";

describe("Credentials in an address", () => {
  test.each([
    ["postgres://ada:hunter2@db.example/pulumi?sslmode=disable", "postgres://…@db.example/pulumi?sslmode=disable"],
    ["postgres://ada:p@ssw0rd@db.example/pulumi", "postgres://…@db.example/pulumi"],
    ["postgres://ada:p/s?s#w@db.example/pulumi", "postgres://…@db.example/pulumi"],
    ["postgres://ada:12/34@db.example/pulumi", "postgres://…@db.example/pulumi"],
    ["https://token@gitlab.example/state", "https://…@gitlab.example/state"],
    ["https://ada:a/b@gitlab.example/state", "https://…@gitlab.example/state"],
    [
      "postgres://db.example/pulumi?user=ada&password=hunter2&sslmode=disable",
      "postgres://db.example/pulumi?user=ada&password=[redacted]&sslmode=disable",
    ],
    [
      "s3://states?region=eu&AWSAccessKeyId=AKIA1&secret_access_key=s3cr/t&X-Amz-Security-Token=t",
      "s3://states?region=eu&AWSAccessKeyId=[redacted]&secret_access_key=[redacted]&X-Amz-Security-Token=[redacted]",
    ],
    ["azblob://states?sv=2024&sig=abc%3D", "azblob://states?sv=2024&sig=[redacted]"],
    ["host=db user=ada password='hunter 2' dbname=pulumi", "host=db user=ada password=[redacted] dbname=pulumi"],
  ])("is not shown: %s", (text, shown) => {
    expect(withoutAddressCredentials(text)).toBe(shown);
    // What has been through it goes into other sentences.
    expect(withoutAddressCredentials(`${shown}, as said`)).toBe(`${shown}, as said`);
  });

  test("is not shown in what the engine says of it, in whatever text that ends up", () => {
    const said = 'unable to open state database "postgres://ada:hunter2@db:1/pulumi": failed to ping PostgreSQL';
    const shown = 'unable to open state database "postgres://…@db:1/pulumi": failed to ping PostgreSQL';
    expect(cleanText(said)).toBe(shown);
    expect(cleanText(said, { hasOwnWords: true })).toBe(shown);
    expect(cleanText('parse "postgres://ada:hunt/er2@db/pulumi": invalid port ":hunt" after host')).toBe(
      'parse "postgres://…@db/pulumi": invalid port "…" after host',
    );
  });

  test.each([
    "https://www.npmjs.com/package/@pulumi/pulumi",
    "http://127.0.0.1:8080/a@b",
    "file:///home/ada/states",
    "s3://states?region=eu-central-1&awssdk=v2",
    "ssh ubuntu@10.0.0.1",
    "GPUFLEET_CONFIRM_GONE=1 and `pulumi config set --secret gpufleet:apiKey`",
  ])("is not taken for one: %s", (text) => {
    expect(withoutAddressCredentials(text)).toBe(text);
  });

  test("is looked for in no more than a moment, whatever the text is", () => {
    for (const part of ["token", "a.", "invalid port ", "x://", "sig=", "a:b@"]) {
      const started = performance.now();
      withoutAddressCredentials(part.repeat(200_000 / part.length));
      expect(performance.now() - started).toBeLessThan(5000);
    }
  });
});
