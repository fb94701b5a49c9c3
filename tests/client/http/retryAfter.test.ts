import { Readable } from "node:stream";
import { type Clock, createClient, type Transport } from "../../../provider/client";
import { readRetryAfter } from "../../../provider/client/http/retryAfter";

const now = Date.UTC(2026, 8, 12, 12, 0, 0);

test.each([
  ["seconds", "120", 120_000],
  ["zero", "0", 0],
  ["a fraction", "1.5", 1500],
  ["a huge number", "99999999999", 99_999_999_999_000],
  ["more digits than a number can hold", "9".repeat(400), Number.POSITIVE_INFINITY],
  ["a date", "Sat, 12 Sep 2026 12:00:30 GMT", 30_000],
  ["a date of RFC 850", "Saturday, 12-Sep-26 12:00:30 GMT", 30_000],
  ["a date of asctime", "Sat Sep 12 12:00:30 2026", 30_000],
  ["a date that has passed", "Sat, 12 Sep 2026 11:00:00 GMT", 0],
  ["a negative number", "-5", undefined],
  ["a word", "soon", undefined],
  ["a word with a number", "next 12", undefined],
  ["a day that does not exist", "Foo, 99 Bar 2026 12:00:30 GMT", undefined],
  ["nothing", undefined, undefined],
  ["an empty text", "", undefined],
])("%s", (_, text, expected) => {
  expect(readRetryAfter(text, now)).toBe(expected);
});

test.each([-3600, 0, 3600])("a date counts from the service's own time, which is %i s ahead of ours", async (ahead) => {
  const requests: number[] = [];
  let time = now;
  const clock: Clock = {
    now: () => time,
    sleep: async (milliseconds) => {
      time += milliseconds;
    },
  };
  const transport: Transport = async () => {
    requests.push(time);
    const serviceTime = time + ahead * 1000;
    const headers = { date: inHeader(serviceTime), "retry-after": inHeader(serviceTime + 30_000) };
    return requests.length === 1
      ? { status: 429, headers, body: Readable.from([]) }
      : { status: 200, headers: {}, body: Readable.from([Buffer.from("[]")]) };
  };
  const client = createClient({ baseUrl: "https://service.example", transport, clock, random: () => 0 });
  await client.listBareMetalRentals();
  expect(requests).toEqual([now, now + 30_000]);
  expect(client.serviceNow()).toBe(now + 30_000 + ahead * 1000);
});

function inHeader(time: number): string {
  return new Date(time).toUTCString();
}
