import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, live, textOf, type Wire } from "../wire";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };

/** However a further page is announced: it is followed, or the list is none. */
test.each([
  ["a quoted <", (to: string) => ({ link: `<${to}>; title="a < b"; rel="next"` })],
  ["a quoted rel", (to: string) => ({ link: `<${to}>; title="x; rel=y"; rel="next"` })],
  ["no brackets", (to: string) => ({ link: `${to}; rel="next"` })],
  ["single quotes", (to: string) => ({ link: `<${to}>; rel='next'` })],
  ["a cursor", () => ({ "x-next-page-cursor": "abc" })],
])("What a page announces with %s is not gone", async (_, next) => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const program = { a: train, b: train, c: train };
  expect((await stack.up(program)).errors).toEqual({});
  rig.clock.advance(3600);
  const wire: Wire = (transport) => async (request) => {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.pathname !== paths.bareMetal) return transport(request);
    const second = url.searchParams.has("page");
    url.search = "";
    const got = await transport({ ...request, url: url.href });
    const items: unknown[] = JSON.parse(await textOf(got));
    return second
      ? answering(200, items.slice(2))
      : answering(200, items.slice(0, 2), next(`${paths.bareMetal}?page=2`) as Record<string, string>);
  };
  const { steps } = await stack.up(program, { refresh: true, provider: rig.startProvider({}, { wire }) });
  expect({ steps: steps.filter((s) => !s.startsWith("same")), live: live(rig) }).toEqual({
    steps: [],
    live: [1001, 1002, 1003],
  });
});
